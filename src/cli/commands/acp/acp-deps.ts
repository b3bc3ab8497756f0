import type { SecurityMode } from '../../../contract/security-mode.ts';
import type { Connection } from '../../connection/connection.ts';
import type { ChatSettings } from '../chat/chat-settings.ts';

/** What the agent side of the protocol works with. */
export interface AcpDeps {
  connection: Pick<Connection, 'client' | 'decide' | 'target' | 'credential'>;
  settings: ChatSettings;
  /** The security mode of new sessions; that of the policy where it is not set. */
  mode: SecurityMode | undefined;
  version: string;
  /** A failure in one line with what to do next. */
  formatError: (error: unknown) => string;
  /** Reports something to the log of the editor. */
  log: (text: string) => void;
}
