import type { ModelProviderType } from '../../../contract/providers.ts';
import type { Effort } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';

/** How the next message is answered; what is not said is up to the daemon. */
export interface ChatSettings {
  /** Step after step by itself, as a task of its own. */
  isAgentic: boolean;
  model?: string | undefined;
  provider?: ModelProviderType | undefined;
  /** Only when not agentic: else the policy says it. */
  mode?: SecurityMode | undefined;
  /** These three only when agentic. */
  effort?: Effort | undefined;
  maxSteps?: number | undefined;
  maxBudget?: number | undefined;
}
