import type { ProviderName } from '../../../contract/providers.ts';
import type { Effort } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';

/** How the next message is answered; the daemon chooses what is not set. */
export interface ChatSettings {
  /** Works autonomously, as a task of its own. */
  isAgentic: boolean;
  /** What answers in the conversation, or in the next one that is begun; a model where it is not set. */
  agent?: string | undefined;
  model?: string | undefined;
  provider?: ProviderName | undefined;
  /** Only when not agentic; the default is that of the policy. */
  mode?: SecurityMode | undefined;
  /** These three only when agentic. */
  effort?: Effort | undefined;
  maxSteps?: number | undefined;
  maxBudget?: number | undefined;
}
