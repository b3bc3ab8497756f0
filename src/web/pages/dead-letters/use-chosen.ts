import { useState } from 'react';
import type { DeadLetter } from '../../../contract/dlq.ts';

export type Chosen = ReadonlyMap<string, DeadLetter>;

/** The dead letters that a person has chosen; none after another list is shown. */
export function useChosen(list: string) {
  const [state, setState] = useState<{ list: string; chosen: Chosen }>({ list, chosen: new Map() });
  const chosen: Chosen = state.list === list ? state.chosen : new Map();
  const set = (items: readonly DeadLetter[]) =>
    setState({ list, chosen: new Map(items.map((item) => [item.id, item])) });
  const toggle = (item: DeadLetter) =>
    set(
      chosen.has(item.id)
        ? [...chosen.values()].filter(({ id }) => id !== item.id)
        : [...chosen.values(), item],
    );
  return { chosen, toggle, set };
}
