// Links that contain a level and moves in their fragment, which browsers do not send to a server:
// compressed, and encoded in characters that links may have.

async function transform(bytes, through) {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A link may also carry a claim about the level and the SHA-256 of the certificate that proves it.

export async function encode({ level, moves, proof }) {
  const bytes = new TextEncoder().encode(JSON.stringify(proof ? [level, moves, proof] : [level, moves]));
  const packed = await transform(bytes, new CompressionStream("deflate-raw"));
  const characters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decode(text) {
  try {
    const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(characters, (character) => character.charCodeAt(0));
    const bytes = await transform(packed, new DecompressionStream("deflate-raw"));
    const [level, moves, proof] = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof level !== "string" || !Array.isArray(moves)) throw new Error();
    const certified = typeof proof?.claim === "string" && /^[0-9a-f]{64}$/.test(proof?.sha256);
    return { level, moves: moves.map(String), proof: certified ? { claim: proof.claim, sha256: proof.sha256 } : null };
  } catch {
    throw new Error("This link contains no level: it may have been cut off");
  }
}

export const address = async (screen, state) => `${location.origin}/#${screen}/${await encode(state)}`;
