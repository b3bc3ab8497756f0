import { relative } from 'node:path';
import type { ChangedFile } from '../../contract/changes.ts';
import { isInside } from '../paths/real-path.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import { isSecretPath } from '../paths/secret-paths.ts';
import { type FileState, isLink } from './file-state.ts';
import { gitPatch, type PatchSide } from './git-patch.ts';
import type { KeptBlobs } from './kept-blobs.ts';
import type { NetChange } from './net-changes.ts';

/** Contents that are larger are listed without a patch. */
const MAX_BYTES = 1024 * 1024;

export interface DescribeDeps {
  blobs: Pick<KeptBlobs, 'read'>;
  secretFiles: SecretFiles;
}

/** A path as answers name it. */
export const shownPath = (root: string, path: string): string =>
  isInside(root, path) ? relative(root, path) : path;

/** A changed file with its patch, unless it holds credentials, is too large or binary, or its content is not kept. */
export async function describeChange(
  { blobs, secretFiles }: DescribeDeps,
  root: string,
  change: NetChange,
): Promise<ChangedFile> {
  const { path, before, after, rows } = change;
  const undone = rows.map((row) => row.undone_at);
  const undoneAt = undone.every((at) => at !== null) ? undone.at(-1) : undefined;
  const file: ChangedFile = {
    path: shownPath(root, path),
    status: !before ? 'added' : after ? 'modified' : 'deleted',
    isBinary: false,
    ...(undoneAt && { undoneAt }),
  };
  if (isSecretPath(path)) return { ...file, withheld: 'secret' };
  const contents = await Promise.all([before, after].map((state) => contentOf(blobs, state)));
  if (contents.includes('missing')) return { ...file, withheld: 'not_kept' };
  const bytes = contents.filter((content): content is Buffer => content instanceof Buffer);
  if (bytes.some((content) => secretFiles.holdsSecrets(path, root, content)))
    return { ...file, withheld: 'secret' };
  if (bytes.some((content) => content.length > MAX_BYTES))
    return { ...file, isBinary: bytes.some(isBinary), withheld: 'size' };
  if (bytes.some(isBinary)) return { ...file, isBinary: true };
  const [from, to] = [before, after].map((state, index): PatchSide | undefined =>
    state ? { mode: state.mode, text: textOf(contents[index]) } : undefined,
  );
  // A link that became a file, or the reverse, is removed and created, as Git has it.
  if (from && to && before && after && isLink(before) !== isLink(after)) {
    const [removed, created] = [gitPatch(file.path, from, undefined), gitPatch(file.path, undefined, to)];
    return {
      ...file,
      patch: removed.patch + created.patch,
      additions: created.additions,
      deletions: removed.deletions,
    };
  }
  return { ...file, ...gitPatch(file.path, from, to) };
}

async function contentOf(
  blobs: Pick<KeptBlobs, 'read'>,
  state: FileState | undefined,
): Promise<Buffer | undefined | 'missing'> {
  if (!state) return undefined;
  return (state.hash === null ? undefined : await blobs.read(state.hash)) ?? 'missing';
}

const textOf = (content: Buffer | undefined | 'missing') =>
  content instanceof Buffer ? content.toString('utf8') : '';

/** Text that is not UTF-8 could not be given back exactly. */
const isBinary = (content: Buffer): boolean =>
  content.includes(0) || !Buffer.from(content.toString('utf8')).equals(content);
