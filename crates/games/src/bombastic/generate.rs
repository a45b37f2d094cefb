//! Random levels: dead cells and ice at random, then avatar and blocks, then the goals.
//!
//! With goals at random places, a level nearly always has no plan. So the goals are placed where a
//! random walk leaves the blocks: the walk is a plan. If the walk ends early because all ice around
//! the avatar has melted, the goals are where the blocks are then.

use super::rules::{Bombastic, Move, Place, State, Tile};
use crate::*;

impl Generation for Bombastic {
    const KNOBS: &'static [Knob] = &[
        Knob {
            name: "blocks",
            about: "how many blocks there are",
            default: 2,
        },
        Knob {
            name: "ice",
            about: "how many of a hundred cells are ice",
            default: 30,
        },
        Knob {
            name: "dead",
            about: "how many of a hundred cells are dead",
            default: 10,
        },
        Knob {
            name: "goals",
            about: "how many goals there are; 0: as many as blocks",
            default: 0,
        },
        Knob {
            name: "walk",
            about: "the steps of the random walk that places the goals; 0: goals at random, with or without a plan",
            default: 120,
        },
    ];
    const WITHOUT_PLAN: &'static [(&'static str, u32)] = &[("walk", 0)];

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(8, 8))
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        Self::generate_within(spec, random, &Budget::unlimited()).map_err(NotGenerated::reason)
    }

    fn generate_within(
        spec: &Spec,
        random: &mut Random,
        budget: &Budget,
    ) -> Result<Self, NotGenerated> {
        let (rows, cols) = (spec.rows, spec.cols);
        let longest = document::LONGEST_SIDE;
        if rows == 0 || cols == 0 || rows > longest || cols > longest {
            return Err(
                format!("a board has 1 to {longest} rows and columns, not {rows}x{cols}").into(),
            );
        }
        let knob = |name| spec.knob::<Bombastic>(name) as usize;
        let (blocks, ice, dead, walk) = (knob("blocks"), knob("ice"), knob("dead"), knob("walk"));
        let goals = if knob("goals") == 0 {
            blocks
        } else {
            knob("goals")
        };
        if ice + dead > 100 {
            return Err(format!(
                "ice {ice} and dead {dead} together are more than 100 of a hundred cells"
            )
            .into());
        }
        if blocks == 0 {
            return Err("a level has at least one block".to_string().into());
        }
        if blocks >= rows * cols || goals > rows * cols {
            return Err(format!(
                "{blocks} blocks, {goals} goals and the avatar have no room on {rows}x{cols}"
            )
            .into());
        }

        let mut tiles = Grid::new(rows, cols, Tile::Normal);
        for place in tiles.places() {
            tiles[place] = match random.below(100) {
                share if share < dead => Tile::Dead,
                share if share < dead + ice => Tile::Ice,
                _ => Tile::Normal,
            };
        }
        // If there are too few cells that are not dead, some dead ones become normal.
        let mut places: Vec<Place> = tiles.places().collect();
        random.shuffle(&mut places);
        places.sort_by_key(|&place| tiles[place] == Tile::Dead);
        for &place in &places[..goals.max(blocks + 1)] {
            if tiles[place] == Tile::Dead {
                tiles[place] = Tile::Normal;
            }
        }
        let (avatar, block_places) = (places[0], places[1..=blocks].to_vec());

        let no_goals = Grid::new(rows, cols, false);
        let reason = "pieces are on different cells that are not dead";
        let draft = Bombastic::new(
            tiles.clone(),
            no_goals.clone(),
            avatar,
            block_places.clone(),
        );
        let mut goal_places = if walk > 0 {
            walk_to_goals(&draft.expect(reason), walk, random, budget)?
        } else {
            Vec::new()
        };
        let mut rest: Vec<Place> = places
            .into_iter()
            .filter(|&place| tiles[place] != Tile::Dead)
            .collect();
        rest.retain(|place| !goal_places.contains(place));
        random.shuffle(&mut rest);
        goal_places.extend(rest);
        let mut goal_grid = no_goals;
        for &place in goal_places.iter().take(goals) {
            goal_grid[place] = true;
        }
        Ok(Bombastic::new(tiles, goal_grid, avatar, block_places).expect(reason))
    }
}

/// The number of random walks; the one that moves the blocks farthest is used.
const WALKS: usize = 10;

/// The places of the blocks after the best of some random walks.
fn walk_to_goals(
    level: &Bombastic,
    steps: usize,
    random: &mut Random,
    budget: &Budget,
) -> Result<Vec<Place>, Limit> {
    let start = level.start();
    let moved = |end: &State| -> usize {
        let pairs = start.blocks.iter().zip(&end.blocks);
        pairs.map(|(&from, &to)| distance(level, from, to)).sum()
    };
    let ends = (0..WALKS).map(|_| walk(level, steps, random, budget));
    let ends: Vec<State> = ends.collect::<Result<_, Limit>>()?;
    let best = ends.iter().max_by_key(|end| moved(end)).expect("some walk");
    let blocks = best.blocks.iter();
    Ok(blocks.map(|&block| level.place(block)).collect())
}

/// A random walk. Half of the steps push a block, where possible; half of the others head for a
/// target block, because an undirected walk would reach none on a large board.
fn walk(
    level: &Bombastic,
    steps: usize,
    random: &mut Random,
    budget: &Budget,
) -> Result<State, Limit> {
    let mut state = level.start();
    let mut moves: Vec<Move> = Vec::new();
    let mut target = random.below(state.blocks.len());
    for _ in 0..steps {
        budget.check_quietly()?;
        moves.clear();
        level.moves(&state, &mut moves);
        if moves.is_empty() {
            break;
        }
        let nexts: Vec<State> = moves.iter().map(|&mv| level.apply(&state, mv)).collect();
        let pushes: Vec<&State> = nexts
            .iter()
            .filter(|next| next.blocks != state.blocks)
            .collect();
        let next = if !pushes.is_empty() && random.chance(1, 2) {
            target = random.below(state.blocks.len());
            *random.choose(&pushes)
        } else if random.chance(1, 2) {
            let away = |next: &&State| distance(level, next.avatar, next.blocks[target]);
            nexts.iter().min_by_key(away).expect("some move")
        } else {
            random.choose(&nexts)
        };
        state = next.clone();
    }
    Ok(state)
}

fn distance(level: &Bombastic, from: u32, to: u32) -> usize {
    let ((row, col), (to_row, to_col)) = (level.place(from), level.place(to));
    row.abs_diff(to_row) + col.abs_diff(to_col)
}
