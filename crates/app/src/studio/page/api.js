// The server's answers. What goes wrong comes as an Error with a sentence.

async function request(path, body, signal) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal,
  });
  if (answer.ok) return answer;
  let message = `the server says ${answer.status}`;
  try { message = (await answer.json()).error.message; } catch { /* no sentence came along */ }
  throw new Error(message);
}

export const ask = async (path, body, signal) => (await request(path, body, signal)).json();
export const fetchBlob = async (path, body) => (await request(path, body)).blob();
export const levels = async () => (await fetch("/api/levels")).json();

/** Server-sent events of a request; `tell` gets their kind and data. Resolves with the answer; ends when aborted. */
export async function stream(path, body, tell, signal) {
  const reader = (await request(path, body, signal)).body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the server ended without an answer");
    waiting += value;
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) {
      const field = (name) => event.split("\n").filter((line) => line.startsWith(name + ":")).map((line) => line.slice(name.length + 1).trimStart()).join("\n");
      const kind = field("event");
      if (!kind) continue;
      const data = JSON.parse(field("data"));
      if (kind === "failure") throw new Error(data.message);
      if (kind === "answer") return data;
      tell?.(kind, data);
    }
  }
}
