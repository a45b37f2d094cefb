//! What can be asked. Every request carries the level text and the moves so far; the referee's rules replay them.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use ployglot_base::{Budget, Random};
use ployglot_games::{
    AnyLevel, BadText, Game, GameVisitor, Level, LevelVisitor, Par, Side, Spec, visit_games,
};
use ployglot_solve::{
    Amount, Answer, Hint, Hunt, Parting, Rating, Request, Scope, Wish, compare_plans, hunt,
    solve_anytime, start_at,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Studio;
use super::guard::Refused;
use super::scene;
use super::work::News;
use crate::picture::{film, gif, svg};
use crate::row::Row;
use crate::{load, plan};

type Answered = Result<Json<Value>, Refused>;
type Shared = State<Arc<Studio>>;

/// The level and the moves: the whole state of the page.
#[derive(Clone, Deserialize)]
pub struct Position {
    level: String,
    #[serde(default)]
    moves: Vec<String>,
}

/// No list of moves from a page is longer.
const MOST_MOVES: usize = 20_000;
/// Ways to solve are tried this long unless the page says otherwise.
const SOLVE: Duration = Duration::from_secs(20);

/// Reads a body; junk gets a sentence.
fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refused> {
    serde_json::from_slice(body).map_err(|bad| {
        Refused(
            StatusCode::BAD_REQUEST,
            format!("the request makes no sense: {bad}"),
        )
    })
}

/// A text that cannot be read, as the page shows it: with its place.
fn unreadable(text: &str, bad: &BadText) -> Refused {
    let line = text.lines().nth(bad.line.saturating_sub(1)).unwrap_or("");
    let shown: String = line.chars().take(200).collect();
    Refused(
        StatusCode::UNPROCESSABLE_ENTITY,
        format!(
            "line {}, column {}: {} in '{shown}'",
            bad.line, bad.column, bad.message
        ),
    )
}

fn unfit(why: String) -> Refused {
    Refused(StatusCode::UNPROCESSABLE_ENTITY, why)
}

fn parse(text: &str) -> Result<AnyLevel, Refused> {
    AnyLevel::read(text).map_err(|bad| unreadable(text, &bad))
}

/// The state after the moves.
struct Replayed<G: Game> {
    moves: Vec<G::Move>,
    states: Vec<G::State>,
}

impl<G: Game> Replayed<G> {
    fn of(game: &G, texts: &[String]) -> Result<Self, Refused> {
        if texts.len() > MOST_MOVES {
            return Err(unfit(format!("a page sends at most {MOST_MOVES} moves")));
        }
        let mut replayed = Self {
            moves: Vec::new(),
            states: vec![game.start()],
        };
        for (index, text) in texts.iter().enumerate() {
            let state = replayed.end();
            let wrong = |why: String| unfit(format!("move {}, '{text}': {why}", index + 1));
            let mv = game
                .parse_move(state, text)
                .map_err(|bad| wrong(bad.message))?;
            let next = game.play(state, mv).map_err(|refusal| wrong(refusal.0))?;
            replayed.moves.push(mv);
            replayed.states.push(next);
        }
        Ok(replayed)
    }

    fn end(&self) -> &G::State {
        self.states.last().expect("the start is there")
    }
}

/// What the page shows of a position.
fn describe<G: Game>(level: &Level<G>, replayed: &Replayed<G>) -> Value {
    let game = &level.game;
    let measure = G::MEASURES[0].name;
    let state = replayed.end();
    let legal = ployglot_games::legal_moves(game, state);
    let over = game.shortfall(state).is_none();
    let legal = legal.iter().filter(|_| !over).map(|&mv| {
        let grip = game.grip(state, mv);
        json!({
            "text": game.print_move(state, mv), "row": grip.row, "col": grip.col,
            "toward": grip.toward.map(Side::name),
        })
    });
    let cost = match replayed.moves.is_empty() {
        true => 0,
        false => game.plan_cost(measure, &replayed.moves, state),
    };
    json!({
        "game": G::NAME, "title": level.title(), "measure": measure, "variant": game.variant(),
        "par": level.par(measure).map(|par| match par { Par::Cost(cost) => json!(cost), Par::Unsolvable => json!("unsolvable") }),
        "made": replayed.moves.len(), "cost": cost, "over": over, "shortfall": game.shortfall(state),
        "legal": legal.collect::<Vec<_>>(), "view": scene::view(&game.view(state)),
    })
}

/// Runs a visitor on the level of a request.
macro_rules! with_level {
    ($text:expr, |$level:ident: &Level<$G:ident>| $body:expr, $out:ty $(, $field:ident: $kind:ty)*) => {{
        struct Visit<'a> { $($field: &'a $kind,)* nothing: std::marker::PhantomData<&'a ()> }
        impl LevelVisitor for Visit<'_> {
            type Out = $out;
            fn visit<$G: Game>(self, $level: &Level<$G>) -> $out {
                let Visit { $($field,)* nothing: _ } = self;
                $body
            }
        }
        parse($text)?.visit(Visit { $($field: &$field,)* nothing: std::marker::PhantomData })
    }};
}

/// The gallery: what comes with the program, and the files that were given.
pub async fn levels(State(studio): Shared) -> Json<Value> {
    let built_in = load::builtins()
        .into_iter()
        .map(|(game, builtin)| (format!("{game}/{}", builtin.name), builtin.text.to_string()));
    let all: Vec<(String, String)> = studio.given.iter().cloned().chain(built_in).collect();
    let entries = all
        .iter()
        .filter_map(|(name, text)| Some(AnyLevel::read(text).ok()?.visit(Entry { name, text })));
    let mut games = Games::default();
    visit_games(&mut games);
    Json(json!({ "levels": entries.collect::<Vec<_>>(), "games": games.list }))
}

struct Entry<'a> {
    name: &'a str,
    text: &'a str,
}

impl LevelVisitor for Entry<'_> {
    type Out = Value;

    fn visit<G: Game>(self, level: &Level<G>) -> Value {
        let view = level.game.view(&level.game.start());
        let measure = G::MEASURES[0].name;
        json!({
            "name": self.name, "game": G::NAME, "title": level.title(), "text": self.text,
            "par": level.par(measure).map(|par| match par { Par::Cost(cost) => json!(cost), Par::Unsolvable => json!("unsolvable") }),
            "difficulty": level.common("difficulty"), "measure": measure,
            "picture": svg::board(&view, level.title().unwrap_or(self.name), 24).unwrap_or_default(),
        })
    }
}

/// The games with their rules pages, tiles and knobs.
#[derive(Default)]
struct Games {
    list: Vec<Value>,
}

impl GameVisitor for Games {
    fn visit<G: Game>(&mut self) {
        let tiles = G::PAINTS
            .iter()
            .map(|tile| json!({ "text": tile.text, "about": tile.about }));
        let options = G::OPTIONS
            .iter()
            .map(|option| json!({ "key": option.name, "about": option.about }));
        let knobs = G::KNOBS
            .iter()
            .map(|knob| json!({ "name": knob.name, "about": knob.about, "default": knob.default }));
        self.list.push(json!({
            "name": G::NAME, "rules": G::README, "tiles": tiles.collect::<Vec<_>>(), "options": options.collect::<Vec<_>>(),
            "knobs": knobs.collect::<Vec<_>>(), "measures": G::MEASURES.iter().map(|measure| measure.name).collect::<Vec<_>>(),
        }));
    }
}

#[derive(Deserialize)]
struct Ask {
    #[serde(flatten)]
    position: Position,
    /// A move to try from there.
    #[serde(rename = "try")]
    attempt: Option<String>,
}

/// The position after the moves; and after one more, with its film, or why it is refused.
pub async fn board(body: Bytes) -> Answered {
    let ask: Ask = read(&body)?;
    with_level!(&ask.position.level, |level: &Level<G>| {
        let mut replayed = Replayed::of(&level.game, &ask.position.moves)?;
        let Some(text) = &ask.attempt else {
            return Ok(Json(describe(level, &replayed)));
        };
        let state = replayed.end().clone();
        let mv = level.game.parse_move(&state, text).map_err(|bad| unfit(bad.message))?;
        match level.game.play(&state, mv) {
            Err(refusal) => Ok(Json(json!({ "refused": refusal.0 }))),
            Ok(next) => {
                let film = level.game.film(&state, mv);
                let mut before = level.game.view(&state);
                let mut moments = Vec::new();
                for moment in film {
                    moments.extend(film::steps(&before, &moment).iter().map(scene::view));
                    before = moment;
                }
                replayed.moves.push(mv);
                replayed.states.push(next);
                let mut told = describe(level, &replayed);
                told["film"] = moments.into();
                told["move"] = level.game.print_move(&state, mv).into();
                Ok(Json(told))
            }
        }
    }, Answered, ask: Ask)
}

/// Every position of a plan; one that is pasted may hold several moves a line, and comments.
pub async fn plan(body: Bytes) -> Answered {
    #[derive(Deserialize)]
    struct Ask {
        level: String,
        plan: String,
    }
    let ask: Ask = read(&body)?;
    with_level!(&ask.level, |level: &Level<G>| {
        let game = &level.game;
        let moves = plan::parse(game, &ask.plan).map_err(|bad| unreadable(&ask.plan, &bad))?;
        let texts = plan::print(game, &moves);
        if let ployglot_games::Ruling::Illegal { at, refusal, .. } = ployglot_games::judge(game, G::MEASURES[0].name, &moves) {
            return Err(unfit(format!("move {at}, '{}': {}", texts[at - 1], refusal.0)));
        }
        let replayed = Replayed::of(game, &texts)?;
        let views = replayed.states.iter().map(|state| scene::view(&game.view(state)));
        let over = game.shortfall(replayed.end());
        Ok(Json(json!({ "moves": texts, "views": views.collect::<Vec<_>>(), "shortfall": over })))
    }, Answered, ask: Ask)
}

/// A level in any format as canonical text, with what is known of it: options and board apart, as the editor wants them.
pub async fn level(body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    with_level!(&ask.level, |level: &Level<G>| {
        let replayed = Replayed::of(&level.game, &ask.moves)?;
        let sheet = level.game.write(replayed.end());
        let options: Vec<Value> = sheet.options.iter().map(|(key, value)| json!([key, value])).collect();
        let text = if ask.moves.is_empty() { level.print() } else { level.print_at(replayed.end()) };
        Ok(Json(json!({
            "game": G::NAME, "title": level.title(), "text": text, "options": options, "rows": sheet.rows,
            "warnings": level.game.warnings().iter().map(|bad| bad.message.clone()).collect::<Vec<_>>(),
        })))
    }, Answered, ask: Position)
}

pub async fn hint(State(studio): Shared, body: Bytes) -> Answered {
    #[derive(Deserialize)]
    struct Ask {
        #[serde(flatten)]
        position: Position,
        grade: u8,
    }
    let ask: Ask = read(&body)?;
    parse(&ask.position.level)?;
    let work = move |budget: Budget| -> Answered {
        let budget = &budget;
        let ask = &ask;
        struct Visit<'a>(&'a Ask, &'a Budget);
        impl LevelVisitor for Visit<'_> {
            type Out = Answered;
            fn visit<G: Game>(self, level: &Level<G>) -> Answered {
                let Visit(ask, budget) = self;
                let replayed = Replayed::of(&level.game, &ask.position.moves)?;
                let found = ployglot_solve::hint(&level.game, replayed.end(), budget)
                    .map_err(|bad| unfit(bad.0))?;
                Ok(Json(match found {
                    Hint::Done => json!({ "hint": "done" }),
                    Hint::Lost => json!({ "hint": "lost" }),
                    Hint::Unknown => json!({ "hint": "unknown" }),
                    Hint::Solvable {
                        left,
                        proven,
                        grip,
                        mv,
                    } => {
                        let mut told =
                            json!({ "hint": "solvable", "left": left, "proven": proven });
                        if ask.grade >= 2 {
                            told["row"] = grip.row.into();
                            told["col"] = grip.col.into();
                        }
                        if ask.grade >= 3 {
                            told["move"] = level.game.print_move(replayed.end(), mv).into();
                        }
                        told
                    }
                }))
            }
        }
        parse(&ask.position.level)?.visit(Visit(ask, budget))
    };
    studio.works.ask(SOLVE, work).await?
}

/// The ways to solve this level.
pub async fn routes(body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    with_level!(
        &ask.level,
        |level: &Level<G>| {
            let best = level.game.best_route(G::MEASURES[0].name);
            let routes = ployglot_solve::routes::<G>()
                .into_iter()
                .filter(|route| route.measures.contains(&G::MEASURES[0].name));
            let routes = routes.map(|route| json!({ "name": route.name, "about": route.about, "best": route.name == best }));
            Ok(Json(json!({ "routes": routes.collect::<Vec<_>>() })))
        },
        Answered
    )
}

/// The level in the other languages.
pub async fn models(body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    with_level!(
        &ask.level,
        |level: &Level<G>| {
            let models = crate::cli::model_files(level).into_iter().map(|(name, files)| match files {
            Ok(files) => json!({ "name": name, "files": files.into_iter().map(|(file, text)| json!({ "name": file, "text": text })).collect::<Vec<_>>() }),
            Err(why) => json!({ "name": name, "unfit": why }),
        });
            Ok(Json(json!({ "models": models.collect::<Vec<_>>() })))
        },
        Answered
    )
}

/// A plan as a GIF, a position as an SVG.
pub async fn picture(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    #[derive(Deserialize)]
    struct Ask {
        #[serde(flatten)]
        position: Position,
        kind: String,
    }
    let ask: Ask = read(&body)?;
    parse(&ask.position.level)?;
    let kind = match ask.kind.as_str() {
        "gif" => "image/gif",
        "svg" => "image/svg+xml",
        other => {
            return Err(Refused(
                StatusCode::BAD_REQUEST,
                format!("a picture is 'gif' or 'svg', not '{other}'"),
            ));
        }
    };
    let work = move |_: Budget| -> Result<Vec<u8>, Refused> {
        struct Visit<'a>(&'a Ask);
        impl LevelVisitor for Visit<'_> {
            type Out = Result<Vec<u8>, Refused>;
            fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
                let ask = self.0;
                let game = &level.game;
                let replayed = Replayed::of(game, &ask.position.moves)?;
                let title = level.title().unwrap_or(G::NAME);
                if ask.kind == "svg" {
                    let drawn = svg::board(&game.view(replayed.end()), title, svg::SCALE);
                    return drawn
                        .map(String::into_bytes)
                        .map_err(|large| unfit(large.0));
                }
                gif::of_plan(game, &replayed.moves).map_err(|large| unfit(large.0))
            }
        }
        parse(&ask.position.level)?.visit(Visit(&ask))
    };
    let bytes = studio.works.ask(SOLVE, work).await??;
    Ok(([(header::CONTENT_TYPE, kind)], bytes).into_response())
}

/// What a run tells at its end.
fn answer_json<G: Game>(level: &Level<G>, answer: &Answer<G>) -> Value {
    let row = Row::of("page", level, answer, false);
    serde_json::from_str(&row.json()).unwrap_or_default()
}

/// Solves from the position by a route, and streams `progress`, `plan` and at last `answer`.
pub async fn solve(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    #[derive(Deserialize)]
    struct Ask {
        #[serde(flatten)]
        position: Position,
        route: Option<String>,
        seconds: Option<f64>,
    }
    let ask: Ask = read(&body)?;
    parse(&ask.position.level)?;
    let time = seconds(ask.seconds);
    studio.works.stream(time, move |budget, news| {
        struct Visit<'a>(&'a Ask, &'a Budget, &'a News);
        impl LevelVisitor for Visit<'_> {
            type Out = Result<Value, Refused>;
            fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
                let Visit(ask, budget, news) = self;
                let replayed = Replayed::of(&level.game, &ask.position.moves)?;
                let from_here = Level::bare(start_at(&level.game, replayed.end()));
                let request = Request {
                    route: ask.route.clone(),
                    ..Request::default()
                };
                let answer = match &ask.route {
                    Some(_) => ployglot_solve::solve(&from_here.game, &request, budget),
                    None => solve_anytime(&from_here.game, &request, budget, |answer| {
                        news.tell("plan", &answer_json(&from_here, answer));
                    }),
                };
                answer
                    .map(|answer| answer_json(&from_here, &answer))
                    .map_err(|bad| unfit(bad.0))
            }
        }
        let told =
            parse(&ask.position.level).and_then(|level| level.visit(Visit(&ask, &budget, news)));
        finish(news, told);
    })
}

fn seconds(asked: Option<f64>) -> Duration {
    asked
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .unwrap_or(SOLVE)
}

fn finish(news: &News, told: Result<Value, Refused>) {
    match told {
        Ok(value) => news.tell("answer", &value),
        Err(Refused(_, why)) => news.tell("failure", &json!({ "message": why })),
    }
}

/// What the level is like.
pub async fn rate(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    #[derive(Deserialize)]
    struct Ask {
        level: String,
        seconds: Option<f64>,
    }
    let ask: Ask = read(&body)?;
    parse(&ask.level)?;
    studio
        .works
        .stream(seconds(ask.seconds), move |budget, news| {
            struct Visit<'a>(&'a Budget);
            impl LevelVisitor for Visit<'_> {
                type Out = Result<Value, Refused>;
                fn visit<G: Game>(self, level: &Level<G>) -> Self::Out {
                    let scope = Scope {
                        states: 50_000,
                        plans: 1_000,
                    };
                    let rating = ployglot_solve::rate(&level.game, scope, self.0)
                        .map_err(|bad| unfit(bad.0))?;
                    Ok(rating_json(level, &rating))
                }
            }
            let told = parse(&ask.level).and_then(|level| level.visit(Visit(&budget)));
            finish(news, told);
        })
}

fn rating_json<G: Game>(level: &Level<G>, rating: &Rating<G>) -> Value {
    let (states, exact) = match rating.reachable {
        Amount::Exactly(count) => (count, true),
        Amount::AtLeast(count) => (count, false),
    };
    json!({
        "answer": answer_json(level, &rating.answer), "difficulty": rating.verdict.difficulty.to_string(),
        "reasons": rating.verdict.reasons, "best_plans": rating.best_plans.map(|count| count.to_string()),
        "states": states, "states_exact": exact,
    })
}

/// Whether the designer's plan is still best, and where a shorter one leaves it.
pub async fn intended(State(studio): Shared, body: Bytes) -> Answered {
    let ask: Position = read(&body)?;
    parse(&ask.level)?;
    let work = move |budget: Budget| -> Answered {
        struct Visit<'a>(&'a Position, &'a Budget);
        impl LevelVisitor for Visit<'_> {
            type Out = Answered;
            fn visit<G: Game>(self, level: &Level<G>) -> Answered {
                let Visit(ask, budget) = self;
                let game = &level.game;
                // After an edit a move may have become illegal: that is news, not an error.
                let replayed = match Replayed::of(game, &ask.moves) {
                    Ok(replayed) => replayed,
                    Err(Refused(_, why)) => {
                        return Ok(Json(json!({ "verdict": "rejected", "message": why })));
                    }
                };
                let found =
                    compare_plans(game, &replayed.moves, budget).map_err(|bad| unfit(bad.0))?;
                Ok(Json(match found {
                    Parting::Rejected(why) => json!({ "verdict": "rejected", "message": why }),
                    Parting::Best { cost } => json!({ "verdict": "best", "cost": cost }),
                    Parting::Open { cost, at_least } => {
                        json!({ "verdict": "open", "cost": cost, "at_least": at_least })
                    }
                    Parting::Shortcut {
                        cost,
                        best,
                        common,
                        state,
                        better,
                    } => json!({
                        "verdict": "shortcut", "cost": cost, "best": best, "common": common,
                        "better": plan::print(&start_at(game, &state), &better),
                        "intended": ask.moves.get(common), "view": scene::view(&game.view(&state)),
                    }),
                }))
            }
        }
        parse(&ask.level)?.visit(Visit(&ask, &budget))
    };
    studio.works.ask(SOLVE, work).await?
}

/// A random level, perhaps with a wanted par.
pub async fn new(State(studio): Shared, body: Bytes) -> Result<Response, Refused> {
    #[derive(Deserialize)]
    struct Ask {
        game: String,
        rows: usize,
        cols: usize,
        #[serde(default)]
        knobs: Vec<(String, u32)>,
        seed: u64,
        par: Option<(u32, u32)>,
    }
    let ask: Ask = read(&body)?;
    studio.works.stream(SOLVE, move |budget, news| {
        struct Make<'a> {
            ask: &'a Ask,
            budget: &'a Budget,
            made: Option<Result<Value, Refused>>,
        }
        impl GameVisitor for Make<'_> {
            fn visit<G: Game>(&mut self) {
                if G::NAME == self.ask.game {
                    self.made = Some(make::<G>(
                        self.ask.rows,
                        self.ask.cols,
                        &self.ask.knobs,
                        self.ask.par,
                        self.ask.seed,
                        self.budget,
                    ));
                }
            }
        }
        let mut make = Make {
            ask: &ask,
            budget: &budget,
            made: None,
        };
        visit_games(&mut make);
        let unknown = || Err(unfit(format!("there is no game '{}'", ask.game)));
        finish(news, make.made.unwrap_or_else(unknown));
    })
}

fn make<G: Game>(
    rows: usize,
    cols: usize,
    knobs: &[(String, u32)],
    par: Option<(u32, u32)>,
    seed: u64,
    budget: &Budget,
) -> Result<Value, Refused> {
    if rows.max(cols) > 60 {
        return Err(unfit(
            "the page makes levels of at most 60 rows and columns".to_string(),
        ));
    }
    let mut spec = Spec::size(rows, cols);
    for (name, value) in knobs {
        if !G::KNOBS.iter().any(|knob| knob.name == name) {
            return Err(unfit(format!("{} has no knob '{name}'", G::NAME)));
        }
        spec = spec.with(name, *value);
    }
    let Some((low, high)) = par else {
        let level = G::generate(&spec, &mut Random::new(seed)).map_err(unfit)?;
        return Ok(json!({ "level": Level::bare(level).print(), "seed": seed }));
    };
    let wish = Wish {
        par: Some(low..=high),
        ..Wish::default()
    };
    let mut found = None;
    let each = || budget.part(Duration::from_secs(2));
    let end = hunt::<G>(&spec, &wish, (seed, 1, 100_000), budget, each, |level| {
        found = Some(json!({ "level": Level::bare(level.level).print(), "seed": level.seed }));
        false
    });
    found.ok_or_else(|| match end {
        Hunt::Bad(why) => unfit(why),
        Hunt::Limit(limit) => unfit(format!("no such level was found before the end: {limit}")),
        Hunt::Tried(_) | Hunt::Complete => unfit("no such level was found".to_string()),
    })
}
