import type { CallOptions, Client } from '../../../contract/client.ts';
import type { GithubStatus, JiraStatus, LinearStatus } from '../../../contract/integrations.ts';
import type { Vendor } from '../../../contract/vendors.ts';

export interface ConnectedAccount {
  /** The answer of the daemon. */
  status: GithubStatus | JiraStatus | LinearStatus;
  /** The account, site or workspace that is connected; undefined where none is. */
  name: string | undefined;
}

/** What is connected at a vendor. */
export function connectedAccount(
  { integrations }: Client,
  vendor: Vendor,
  options: CallOptions = {},
): Promise<ConnectedAccount> {
  const ask = {
    github: async () => named(await integrations.getGithub({}, options), ({ username }) => username),
    jira: async () => named(await integrations.getJira({}, options), ({ siteName }) => siteName),
    linear: async () => named(await integrations.getLinear({}, options), formatWorkspace),
  };
  return ask[vendor]();
}

const named = <S extends ConnectedAccount['status']>(
  status: S,
  nameOf: (status: S) => string | undefined,
) => ({ status, name: status.connected ? (nameOf(status) ?? 'yes') : undefined });

const formatWorkspace = ({ workspaceName = 'yes', teams }: LinearStatus) =>
  teams.length === 0 ? workspaceName : `${workspaceName} (${teams.map(({ key }) => key).join(', ')})`;
