import type { CallOptions, Client } from '../../../contract/client.ts';
import type { CodehostStatus, TrackerAStatus, TrackerBStatus } from '../../../contract/integrations.ts';
import type { ProviderName } from '../../../contract/oauth.ts';

export interface ConnectedAccount {
  /** The answer of the daemon. */
  status: CodehostStatus | TrackerAStatus | TrackerBStatus;
  /** The account, site or workspace that is connected; undefined where none is. */
  name: string | undefined;
}

/** What is connected at a vendor. */
export function connectedAccount(
  { integrations }: Client,
  provider: ProviderName,
  options: CallOptions = {},
): Promise<ConnectedAccount> {
  const ask = {
    codehost: async () => named(await integrations.getCodehost({}, options), ({ username }) => username),
    tracker_a: async () => named(await integrations.getTrackerA({}, options), ({ siteName }) => siteName),
    tracker_b: async () => named(await integrations.getTrackerB({}, options), formatWorkspace),
  };
  return ask[provider]();
}

const named = <S extends ConnectedAccount['status']>(
  status: S,
  nameOf: (status: S) => string | undefined,
) => ({ status, name: status.connected ? (nameOf(status) ?? 'yes') : undefined });

const formatWorkspace = ({ workspaceName = 'yes', teams }: TrackerBStatus) =>
  teams.length === 0 ? workspaceName : `${workspaceName} (${teams.map(({ key }) => key).join(', ')})`;
