import type { Experience } from '../../../contract/experiences.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { client } from '../../client.ts';
import { remove } from '../../components/removal.ts';
import { refreshExperiences } from '../../queries/experiences.ts';

const PAGE = 100;
const SHOWN = 60;

/** Deletes an experience, unless that is undone. */
export const removeExperience = ({ id, intent }: Experience): void =>
  remove(
    id,
    `Deleted ${visibleLine(intent.slice(0, SHOWN))}${intent.length > SHOWN ? '…' : ''}.`,
    async () => {
      await client.experiences.delete({ params: { id } });
      await refreshExperiences();
    },
  );

/** Deletes all that the person may see, one after the other, and says after each how many are done. */
export async function removeAll(onDone: (count: number) => void): Promise<void> {
  let done = 0;
  try {
    for (;;) {
      // What is deleted leaves the first page, so the first one is always the next.
      const { experiences } = await client.experiences.list({ query: { limit: PAGE } });
      if (experiences.length === 0) return;
      for (const { id } of experiences) {
        await client.experiences.delete({ params: { id } });
        onDone(++done);
      }
    }
  } finally {
    await refreshExperiences();
  }
}
