import type { Agent } from '../../../contract/agents.ts';
import { visibleLine } from '../../../contract/visible-text.ts';
import { remove } from '../../components/removal.ts';
import { changeAddedAgents } from './added-agents.ts';

/** Under which id an agent is about to be removed; its name alone could be that of something else. */
export const removalOf = (type: string): string => `agent:${type}`;

const wasDefault = ' It was the default agent. Choose another under Settings, Configuration: agents.default.';

/** Removes an agent that was added, unless that is undone. */
export const removeAgent = ({ type, isDefault }: Pick<Agent, 'type' | 'isDefault'>): void =>
  remove(removalOf(type), `Removed ${visibleLine(type)}.${isDefault ? wasDefault : ''}`, () =>
    changeAddedAgents((added) => Object.fromEntries(Object.entries(added).filter(([name]) => name !== type))),
  );
