// A link carries level and moves in its fragment, which no browser sends anywhere; squeezed, and written in letters that links
// may hold.

async function pass(bytes, through) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function encode({ level, moves }) {
  const bytes = new TextEncoder().encode(JSON.stringify([level, moves]));
  const packed = await pass(bytes, new CompressionStream("deflate-raw"));
  const signs = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(signs).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decode(text) {
  try {
    const signs = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(signs, (sign) => sign.charCodeAt(0));
    const bytes = await pass(packed, new DecompressionStream("deflate-raw"));
    const [level, moves] = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof level !== "string" || !Array.isArray(moves)) throw new Error();
    return { level, moves: moves.map(String) };
  } catch {
    throw new Error("This link holds no level: it may have been cut off");
  }
}

export const address = async (room, state) => `${location.origin}/#${room}/${await encode(state)}`;
