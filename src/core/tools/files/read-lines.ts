import type { FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { ToolFailure } from '../tool.ts';

const CHUNK = 64 * 1024;

export interface Line {
  number: number;
  /** Without the line ending; only the beginning of a long line. */
  text: string;
  /** The length of the complete line. */
  length: number;
}

/** Reads the lines of an open UTF-8 file lazily. Throws a `ToolFailure` if the file is not text. */
export async function* readLines(
  file: FileHandle,
  path: string,
  { maxLine, maxBytes }: { maxLine: number; maxBytes: number },
): AsyncGenerator<Line> {
  let line: Line = { number: 1, text: '', length: 0 };
  for await (const chunk of decode(file, path, maxBytes)) {
    const [first = '', ...more] = chunk.split('\n');
    line = lengthen(line, first, maxLine);
    for (const text of more) {
      yield withoutReturn(line);
      line = lengthen({ number: line.number + 1, text: '', length: 0 }, text, maxLine);
    }
  }
  // A trailing line ending does not start another line.
  if (line.length > 0) yield line;
}

/** The text of a complete UTF-8 file, with its byte order mark and line endings unchanged. */
export function decodeText(bytes: Uint8Array, path: string): string {
  requireText(bytes, path);
  return decodeOrRefuse(newDecoder(), bytes, false, path);
}

async function* decode(file: FileHandle, path: string, maxBytes: number): AsyncGenerator<string> {
  const decoder = newDecoder();
  const buffer = new Uint8Array(CHUNK);
  let at = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK, at);
    const bytes = buffer.subarray(0, bytesRead);
    requireText(bytes, path);
    at += bytesRead;
    if (at > maxBytes)
      throw new ToolFailure(`${path} is too large: only the first ${maxBytes} bytes can be read`);
    yield decodeOrRefuse(decoder, bytes, bytesRead > 0, path);
    if (bytesRead === 0) return;
  }
}

const newDecoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function requireText(bytes: Uint8Array, path: string): void {
  if (bytes.includes(0)) throw new ToolFailure(`${path} is a binary file; only text can be read`);
}

function decodeOrRefuse(decoder: TextDecoder, bytes: Uint8Array, stream: boolean, path: string): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw new ToolFailure(`${path} is not UTF-8 text; only text can be read`, { cause });
  }
}

const lengthen = (line: Line, text: string, maxLine: number): Line => ({
  number: line.number,
  text: line.text.length < maxLine ? line.text + text.slice(0, maxLine - line.text.length) : line.text,
  length: line.length + text.length,
});

const withoutReturn = (line: Line): Line =>
  line.length === line.text.length && line.text.endsWith('\r')
    ? { ...line, text: line.text.slice(0, -1), length: line.length - 1 }
    : line;
