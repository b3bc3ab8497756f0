const { fstatSync } = process.getBuiltinModule('node:fs');

/** Whether input is piped in; a terminal would never end, and /dev/null has none. */
export function isStdinGiven(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // Started with stdin closed.
    return false;
  }
}

/** All of stdin as text; `onBytes` is called with how much has come so far. */
export async function readStdin(onBytes: (bytes: number) => void = () => undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    onBytes((bytes += chunk.length));
  }
  return Buffer.concat(chunks).toString('utf8');
}
