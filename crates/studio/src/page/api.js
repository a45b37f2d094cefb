// The server's answers. What goes wrong comes as an Error with a sentence.

async function request(path, body, signal) {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  let answer;
  try {
    answer = await fetch(path, body ? post : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server does not answer: is ploy serve still running?");
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  throw new Error(told?.error?.message ?? `the server says ${answer.status}`);
}

/** Views name their drawings by number; here they get the album along. */
function withAlbum(told) {
  for (const view of [told.view, ...(told.views ?? []), ...(told.film ?? [])]) {
    if (view) view.drawings = told.drawings;
  }
  return told;
}

export async function ask(path, body, signal) {
  return withAlbum(await (await request(path, body, signal)).json());
}

export const fetchBlob = async (path, body) => (await request(path, body)).blob();
export const levels = async () => (await request("/api/levels")).json();

/** Server-sent events of a request: `tell` gets kind and data of each. Resolves with the answer; ends when aborted. */
export async function stream(path, body, tell, signal) {
  const answer = await request(path, body, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the server ended without an answer");
    waiting += value;
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const { kind, data } = parse(event);
      if (kind === "failure") throw new Error(data.message);
      if (kind === "answer") return data;
      if (kind) tell?.(kind, data);
    }
  }
}

function parse(event) {
  const field = (name) =>
    event
      .split("\n")
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trimStart())
      .join("\n");
  const kind = field("event");
  return kind ? { kind, data: JSON.parse(field("data")) } : {};
}
