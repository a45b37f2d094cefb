// Requests to the server. Failures are thrown as an Error with a message for the user.

async function request(path, body, signal) {
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  let response;
  try {
    response = await fetch(path, body ? post : {});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server does not answer: is ploy serve still running?");
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => null);
  throw new Error(answer?.error?.message ?? `the server answered with status ${response.status}`);
}

/** Views refer to drawings by number; each view gets the answer's list of drawings. */
function attachDrawings(answer) {
  for (const view of [answer.view, ...(answer.views ?? []), ...(answer.film ?? [])]) {
    if (view) view.drawings = answer.drawings;
  }
  return answer;
}

/** Posts a request and returns the answer. */
export async function post(path, body, signal) {
  return attachDrawings(await (await request(path, body, signal)).json());
}

export const fetchBlob = async (path, body) => (await request(path, body)).blob();
export const levels = async () => (await request("/api/levels")).json();

/**
 * Reads server-sent events: `onEvent` gets kind and data of each. Resolves with the last one, the
 * answer.
 */
export async function stream(path, body, onEvent, signal) {
  const response = await request(path, body, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the server ended without an answer");
    buffer += value;
    const events = buffer.split("\n\n");
    buffer = events.pop();
    for (const event of events) {
      const { kind, data } = parse(event);
      if (kind === "failure") throw new Error(data.message);
      if (kind === "answer") return data;
      if (kind) onEvent?.(kind, data);
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
