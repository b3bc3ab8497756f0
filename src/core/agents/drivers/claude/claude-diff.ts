import type { CallDiff } from '../driver.ts';
import { amount, type Fields, fieldsList, text } from './claude-messages.ts';

/** What a call that is asked for would change, by its arguments; undefined where it is more than one change. */
export function proposedDiff(name: string, input: Fields): CallDiff | undefined {
  const path = text(input['file_path']);
  if (path === undefined) return undefined;
  const content = input['content'];
  if (name === 'Write' && typeof content === 'string') return { path, newText: content };
  const { old_string: oldText, new_string: newText, replace_all: isRepeated } = input;
  if (name !== 'Edit' || typeof oldText !== 'string' || typeof newText !== 'string') return undefined;
  return isRepeated === true ? undefined : { path, oldText, newText };
}

/** What an editing tool changed, from the CLI's own record of its result. */
export function diffOf(detail: Fields | undefined): CallDiff | undefined {
  const path = text(detail?.['filePath']) ?? text(detail?.['notebook_path']);
  if (!detail || path === undefined) return undefined;
  const wrote = typeof detail['content'] === 'string';
  const oldText = wrote ? detail['originalFile'] : detail['oldString'];
  const newText = wrote ? detail['content'] : detail['newString'];
  const hunks = fieldsList(detail['structuredPatch']).map(hunkText).join('');
  return {
    path,
    ...(typeof oldText === 'string' && { oldText }),
    ...(typeof newText === 'string' && { newText }),
    ...(hunks && { diff: hunks }),
  };
}

function hunkText(hunk: Fields): string {
  const lines = Array.isArray(hunk['lines']) ? hunk['lines'].filter((line) => typeof line === 'string') : [];
  const range = (start: string, count: string) => `${amount(hunk[start]) ?? 0},${amount(hunk[count]) ?? 0}`;
  const head = `@@ -${range('oldStart', 'oldLines')} +${range('newStart', 'newLines')} @@`;
  return lines.length === 0 ? '' : `${[head, ...lines].join('\n')}\n`;
}
