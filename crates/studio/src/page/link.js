// Links that contain a level and moves in their fragment, which browsers do not send to a server:
// compressed, and encoded in characters that links may have.

async function transform(bytes, through) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function encode({ level, moves }) {
  const bytes = new TextEncoder().encode(JSON.stringify([level, moves]));
  const packed = await transform(bytes, new CompressionStream("deflate-raw"));
  const characters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decode(text) {
  try {
    const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(characters, (character) => character.charCodeAt(0));
    const bytes = await transform(packed, new DecompressionStream("deflate-raw"));
    const [level, moves] = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof level !== "string" || !Array.isArray(moves)) throw new Error();
    return { level, moves: moves.map(String) };
  } catch {
    throw new Error("This link contains no level: it may have been cut off");
  }
}

export const address = async (screen, state) => `${location.origin}/#${screen}/${await encode(state)}`;
