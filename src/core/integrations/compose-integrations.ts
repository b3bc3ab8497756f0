import type { Feature } from '../lifecycle.ts';
import { IntegrationStatus, type IntegrationStatusDeps } from './integration-status.ts';

export interface IntegrationServices {
  integrationStatus: IntegrationStatus;
}

/** Wires what users see of GitHub, Jira and Linear. */
export function composeIntegrations(deps: IntegrationStatusDeps): Feature<IntegrationServices> {
  return { services: { integrationStatus: new IntegrationStatus(deps) } };
}
