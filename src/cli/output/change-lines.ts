import type {
  ChangedFile,
  ChangedFileEntry,
  ChangedFiles,
  Changes,
  UndoReport,
} from '../../contract/changes.ts';
import { escapeLine } from './escape-text.ts';
import { textWidth } from './text-width.ts';

/** The widest bar of a file in the statistics. */
const BAR = 40;

const withheld: Record<NonNullable<ChangedFile['withheld']>, string> = {
  secret: 'holds credentials',
  not_kept: 'its content is not kept',
  size: 'too large to show',
};

/** Why a file has no patch; undefined if it has one. */
export function whyNoPatch(file: ChangedFile): string | undefined {
  return file.patch === undefined ? (whyWithheld(file) ?? 'no patch') : undefined;
}

/** Why the lines of a file cannot be shown; undefined if they can. */
export const whyWithheld = ({
  isBinary,
  withheld: reason,
}: Pick<ChangedFileEntry, 'isBinary' | 'withheld'>): string | undefined =>
  reason ? withheld[reason] : isBinary ? 'binary' : undefined;

/** `2 files changed, 3 additions, 1 deletion`. */
export function changeTotals({
  files,
  additions,
  deletions,
}: Pick<ChangedFiles, 'files' | 'additions' | 'deletions'>): string {
  return [
    `${counted(files.length, 'file')} changed`,
    ...(additions > 0 ? [counted(additions, 'addition')] : []),
    ...(deletions > 0 ? [counted(deletions, 'deletion')] : []),
  ].join(', ');
}

/** One line per file with a bar of its additions and deletions, as `git diff --stat` prints it, and the totals. */
export function statLines(changes: ChangedFiles): { text: string; added: string; removed: string }[] {
  const { files } = changes;
  const names = files.map(({ path }) => escapeLine(path));
  const width = Math.max(0, ...names.map(textWidth));
  const most = Math.max(1, ...files.map(({ additions = 0, deletions = 0 }) => additions + deletions));
  const scale = Math.min(1, BAR / most);
  const bar = (count: number, mark: string) => mark.repeat(count === 0 ? 0 : Math.ceil(count * scale));
  const rows = files.map((file, index) => {
    const name = names[index] ?? '';
    const { additions = 0, deletions = 0, status, from } = file;
    const kind =
      status === 'modified' ? '' : ` (${status}${from === undefined ? '' : ` from ${escapeLine(from)}`})`;
    const count = whyWithheld(file) ?? String(additions + deletions);
    return {
      text: ` ${name}${' '.repeat(width - textWidth(name))} | ${count}${kind} `,
      added: bar(additions, '+'),
      removed: bar(deletions, '-'),
    };
  });
  return [...rows, { text: ` ${changeTotals(changes)}`, added: '', removed: '' }];
}

/** What a person should know besides the patches: files without one, files that were undone, and changes that are missing. */
export const changeRemarks = (changes: Changes): string[] => remarksOf(changes, whyNoPatch);

/** The same of changes without their patches. */
export const entryRemarks = (changes: ChangedFiles): string[] => remarksOf(changes, whyWithheld);

function remarksOf<File extends ChangedFile | ChangedFileEntry>(
  { files, notKept, truncated }: { files: readonly File[] } & Pick<Changes, 'notKept' | 'truncated'>,
  why: (file: File) => string | undefined,
): string[] {
  const undone = files.filter(({ undoneAt }) => undoneAt !== undefined).length;
  return [
    ...files.flatMap((file) => {
      const reason = why(file);
      return reason === undefined
        ? []
        : [`${escapeLine(file.path)} (${file.status}) has no patch: ${reason}`];
    }),
    ...(truncated ? ['The changes are too large to show completely.'] : []),
    ...(undone === 0
      ? []
      : [
          undone === files.length
            ? 'These changes were undone.'
            : `${counted(undone, 'file')} of them undone.`,
        ]),
    ...notKept.map(({ message }) => message),
  ];
}

/** What an undo did, line by line. */
export function undoLines({
  dryRun,
  restored,
  notRestored,
}: UndoReport): { text: string; isGood: boolean }[] {
  const verbs = dryRun
    ? { restored: 'would restore', removed: 'would remove', unchanged: 'already as before:' }
    : { restored: 'restored', removed: 'removed', unchanged: 'already as before:' };
  return [
    ...restored.map(({ path, action }) => ({ text: `${verbs[action]} ${escapeLine(path)}`, isGood: true })),
    ...notRestored.map(({ path, message }) => ({
      text: `${dryRun ? 'would not restore' : 'not restored'}: ${escapeLine(path)}. ${message}.`,
      isGood: false,
    })),
  ];
}

const counted = (count: number, noun: string) =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
