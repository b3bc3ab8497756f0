import { RequestError, type SessionModeState } from '@agentclientprotocol/sdk';
import { modeMeanings } from '../../../contract/mode-meanings.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';

/** The mode of a session whose calls follow the policy. */
const byPolicy = 'policy';
const modes = Object.keys(modeMeanings) as SecurityMode[];

/** The modes that an editor offers; a mode less strict than the policy has an effect for administrators only. */
export const modeState = (mode: SecurityMode | undefined): SessionModeState => ({
  currentModeId: mode ?? byPolicy,
  availableModes: [
    { id: byPolicy, name: 'Policy', description: 'the mode of the policy' },
    ...modes.map((id) => ({
      id,
      name: id.charAt(0).toUpperCase() + id.slice(1),
      description: modeMeanings[id],
    })),
  ],
});

/** The security mode that an editor chose by its id; undefined is that of the policy. */
export function parseMode(id: string): SecurityMode | undefined {
  const mode = modes.find((each) => each === id);
  if (mode === undefined && id !== byPolicy)
    throw new RequestError(-32602, `There is no mode "${id}". Modes: ${[byPolicy, ...modes].join(', ')}`);
  return mode;
}
