import type { Attachment } from '../../../contract/attachments.ts';
import { formatSize } from '../../../contract/format-size.ts';

/** Larger files are left to the tools of the model, which read a part of them. */
const MOST_BYTES = 100 * 1024;
const MOST_BYTES_TOGETHER = 400 * 1024;

/** What becomes of files that somebody wants to attach: those that can be, and why the others cannot. */
export interface ReadFiles {
  attachments: Attachment[];
  refusals: string[];
}

/** Reads text files to attach to a message beside those that it has. */
export async function readFiles(files: Iterable<File>, known: readonly Attachment[]): Promise<ReadFiles> {
  const attachments: Attachment[] = [];
  const refusals: string[] = [];
  let together = known.reduce((sum, { text }) => sum + new Blob([text]).size, 0);
  for (const file of files) {
    if ([...known, ...attachments].some(({ name }) => name === file.name)) continue;
    const refuse = (reason: string) => refusals.push(`${file.name} ${reason}`);
    if (file.size > MOST_BYTES) {
      refuse(`is ${formatSize(file.size)}. Files up to ${formatSize(MOST_BYTES)} can be attached.`);
      continue;
    }
    if (together + file.size > MOST_BYTES_TOGETHER) {
      refuse(`is too much: attach up to ${formatSize(MOST_BYTES_TOGETHER)} together.`);
      continue;
    }
    const text = await readText(file);
    if (text === undefined) {
      refuse('is not a text file.');
      continue;
    }
    together += file.size;
    attachments.push({ name: file.name, kind: 'file', text });
  }
  return { attachments, refusals };
}

/** Undefined for what is no UTF-8 text, and for what cannot be read, such as a directory. */
async function readText(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
