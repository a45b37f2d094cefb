//! Random levels: dead cells and ice anywhere, then avatar and blocks, then the goals.
//!
//! Goals at random places make a level that nearly always has no plan. So the goals are set where a random walk leaves the
//! blocks: the walk is a plan. Where it ends early, all ice around it melted, that is where the goals are.

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
            about: "the steps of the walk that carries the blocks to their goals; 0: goals anywhere, with or without a plan",
            default: 120,
        },
    ];
    const WITHOUT_PLAN: &'static [(&'static str, u32)] = &[("walk", 0)];

    fn benchmark_spec() -> Option<Spec> {
        Some(Spec::size(8, 8))
    }

    fn generate(spec: &Spec, random: &mut Random) -> Result<Self, String> {
        let (rows, cols) = (spec.rows, spec.cols);
        let longest = document::LONGEST_SIDE;
        if rows == 0 || cols == 0 || rows > longest || cols > longest {
            return Err(format!(
                "a board has 1 to {longest} rows and columns, not {rows}x{cols}"
            ));
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
                "ice {ice} and dead {dead} are more than a hundred of a hundred cells"
            ));
        }
        if blocks == 0 {
            return Err("a level has at least one block".to_string());
        }
        if blocks >= rows * cols || goals > rows * cols {
            return Err(format!(
                "{blocks} blocks, {goals} goals and the avatar have no room on {rows}x{cols}"
            ));
        }

        let mut tiles = Grid::new(rows, cols, Tile::Normal);
        for place in tiles.places() {
            tiles[place] = match random.below(100) {
                share if share < dead => Tile::Dead,
                share if share < dead + ice => Tile::Ice,
                _ => Tile::Normal,
            };
        }
        // The pieces clear the ground they need, if chance left them too little.
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
        let made = "pieces stand apart, on ground that carries them";
        let draft = Bombastic::new(
            tiles.clone(),
            no_goals.clone(),
            avatar,
            block_places.clone(),
        );
        let mut goal_places = if walk > 0 {
            walk_to_goals(&draft.expect(made), walk, random)
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
        Ok(Bombastic::new(tiles, goal_grid, avatar, block_places).expect(made))
    }
}

/// How many walks are tried; the one that carries the blocks farthest counts.
const WALKS: usize = 10;

/// Where the blocks are after the best of some random walks.
fn walk_to_goals(level: &Bombastic, steps: usize, random: &mut Random) -> Vec<Place> {
    let start = level.start();
    let carried = |end: &State| -> usize {
        let pairs = start.blocks.iter().zip(&end.blocks);
        pairs.map(|(&from, &to)| distance(level, from, to)).sum()
    };
    let ends: Vec<State> = (0..WALKS).map(|_| walk(level, steps, random)).collect();
    let best = ends
        .iter()
        .max_by_key(|end| carried(end))
        .expect("some walk");
    let blocks = best.blocks.iter();
    blocks.map(|&block| level.place(block)).collect()
}

/// One step in two pushes, where that is possible; of the others every second one heads for some block, because a walk
/// without an aim would meet none on a large board.
fn walk(level: &Bombastic, steps: usize, random: &mut Random) -> State {
    let mut state = level.start();
    let mut moves: Vec<Move> = Vec::new();
    let mut aim = random.below(state.blocks.len());
    for _ in 0..steps {
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
            aim = random.below(state.blocks.len());
            *random.choose(&pushes)
        } else if random.chance(1, 2) {
            let away = |next: &&State| distance(level, next.avatar, next.blocks[aim]);
            nexts.iter().min_by_key(away).expect("some move")
        } else {
            random.choose(&nexts)
        };
        state = next.clone();
    }
    state
}

fn distance(level: &Bombastic, from: u32, to: u32) -> usize {
    let ((row, col), (to_row, to_col)) = (level.place(from), level.place(to));
    row.abs_diff(to_row) + col.abs_diff(to_col)
}
