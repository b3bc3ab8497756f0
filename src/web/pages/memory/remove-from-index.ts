import type { Chunk } from '../../../contract/memory.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { remove } from '../../components/removal.ts';
import { refreshMemory } from '../../queries/memory.ts';

/** Under which id a file is about to be removed from the index. */
export const fileRemoval = (path: string): string => `file:${path}`;

/** Removes a file from the index until the next sync, unless that is undone. The file itself stays. */
export const removeFile = (path: string): void =>
  remove(
    fileRemoval(path),
    `Removed ${visibleLine(nameOf(path))} from the index until the next sync.`,
    async () => {
      await client.memory.deleteFile({ params: { path } });
      await refreshMemory();
    },
  );

/** Removes a part from the index until its file changes, unless that is undone. */
export const removeChunk = ({ id, startLine, endLine }: Chunk): void =>
  remove(id, `Removed lines ${startLine} to ${endLine} from the index until the file changes.`, async () => {
    await client.memory.deleteChunk({ params: { id } });
    await refreshMemory();
  });

const nameOf = (path: string) => path.split('/').at(-1) ?? path;
