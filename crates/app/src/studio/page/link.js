// A link carries level and moves in its fragment, which no browser sends anywhere. Long ones are squeezed.

const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const toBytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

async function pass(bytes, through) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function encode(state) {
  const bytes = new TextEncoder().encode(JSON.stringify([state.level, state.moves]));
  const packed = await pass(bytes, new CompressionStream("deflate-raw"));
  let text = "";
  for (let at = 0; at < packed.length; at += 3000) text += toText(packed.subarray(at, at + 3000));
  return text;
}

export async function decode(text) {
  const bytes = await pass(toBytes(text), new DecompressionStream("deflate-raw"));
  const [level, moves] = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof level !== "string" || !Array.isArray(moves)) throw new Error("this link holds no level");
  return { level, moves: moves.map(String) };
}

export const address = async (room, state) => `${location.origin}/#${room}/${await encode(state)}`;
