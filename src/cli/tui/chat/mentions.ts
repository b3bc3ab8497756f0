import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatSize } from '../../../contract/format-size.ts';
import type { Attachment } from '../../../contract/attachments.ts';

/** Larger files are left to the tools of the model, which read a part of them. */
const MOST_BYTES = 100 * 1024;
const MOST_BYTES_TOGETHER = 400 * 1024;

const mention = /(?<=^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;
/** What ends a sentence is not of the path. */
const endings = '.,;:!?)]';

/** What a message mentions as `@path`: the files, or why one of them cannot be attached. A word that is no file is text. */
export function attachMentioned(
  message: string,
  folder: string,
): { attachments: Attachment[] } | { refusal: string } {
  const attachments: Attachment[] = [];
  let together = 0;
  for (const [, quoted, word = ''] of message.matchAll(mention)) {
    const name = findFile(folder, quoted === undefined ? [word, withoutEnding(word)] : [quoted]);
    if (name === undefined || attachments.some((attachment) => attachment.name === name)) continue;
    const bytes = readSmall(resolve(folder, name));
    if (typeof bytes === 'string') return { refusal: `${name} ${bytes}` };
    together += bytes.length;
    if (together > MOST_BYTES_TOGETHER)
      return {
        refusal: `These files are more than ${formatSize(MOST_BYTES_TOGETHER)} together. Attach fewer of them.`,
      };
    attachments.push({ name, kind: 'file', text: bytes.toString('utf8') });
  }
  return { attachments };
}

function withoutEnding(word: string): string {
  let end = word.length;
  while (end > 0 && endings.includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

function findFile(folder: string, names: readonly string[]): string | undefined {
  return names.find((name) => {
    const found = statSync(resolve(folder, name), { throwIfNoEntry: false });
    return found?.isFile() === true;
  });
}

/** The bytes of a text file, or why they are not attached. */
function readSmall(path: string): Buffer | string {
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES)
      return `is ${formatSize(size)}; files up to ${formatSize(MOST_BYTES)} are attached. Write its path without @.`;
    const bytes = readFileSync(path);
    return bytes.includes(0) || !isUtf8(bytes) ? 'is not a text file. Write its path without @.' : bytes;
  } catch (error) {
    return `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'}).`;
  }
}
