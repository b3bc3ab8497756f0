import { a2aRoutes } from './a2a.ts';
import { agentsRoutes } from './agents.ts';
import { approvalsRoutes } from './approvals.ts';
import { auditRoutes } from './audit.ts';
import { authRoutes } from './auth.ts';
import { backupRoutes } from './backups.ts';
import { chatRoutes } from './chat.ts';
import { clusterRoutes } from './cluster.ts';
import { configRoutes } from './config.ts';
import { conversationsRoutes } from './conversations.ts';
import { dataRoutes } from './data.ts';
import { devicesRoutes } from './devices.ts';
import { dlqRoutes } from './dlq.ts';
import { experiencesRoutes } from './experiences.ts';
import { gatewayRoutes } from './gateway.ts';
import { guardsRoutes } from './guards.ts';
import { healthRoutes } from './health.ts';
import { inboxRoutes } from './inbox.ts';
import { inboundRoutes } from './inbound.ts';
import { integrationsRoutes } from './integrations.ts';
import { invitesRoutes } from './invites.ts';
import { mcpRoutes } from './mcp.ts';
import { memoryRoutes } from './memory.ts';
import { notificationsRoutes } from './notifications.ts';
import { oauthRoutes } from './oauth.ts';
import { openaiRoutes } from './openai.ts';
import { pairingRoutes } from './pairing.ts';
import { pushRoutes } from './push.ts';
import { policyRoutes } from './policy.ts';
import { preferencesRoutes } from './preferences.ts';
import { providersRoutes } from './providers.ts';
import { queueRoutes } from './queue.ts';
import { sandboxRoutes } from './sandbox.ts';
import { schedulesRoutes } from './schedules.ts';
import { sessionsRoutes } from './sessions.ts';
import { keysRoutes } from './keys.ts';
import { tasksRoutes } from './tasks.ts';
import { tokensRoutes } from './tokens.ts';
import { toolsRoutes } from './tools.ts';
import { usageRoutes } from './usage.ts';
import { usersRoutes } from './users.ts';
import { webhooksRoutes } from './webhooks.ts';

/** Every resource of the API. */
export const contract = {
  a2a: a2aRoutes,
  agents: agentsRoutes,
  sandbox: sandboxRoutes,
  approvals: approvalsRoutes,
  audit: auditRoutes,
  auth: authRoutes,
  backups: backupRoutes,
  chat: chatRoutes,
  cluster: clusterRoutes,
  config: configRoutes,
  conversations: conversationsRoutes,
  data: dataRoutes,
  devices: devicesRoutes,
  dlq: dlqRoutes,
  experiences: experiencesRoutes,
  gateway: gatewayRoutes,
  guards: guardsRoutes,
  health: healthRoutes,
  inbound: inboundRoutes,
  inbox: inboxRoutes,
  integrations: integrationsRoutes,
  invites: invitesRoutes,
  mcp: mcpRoutes,
  memory: memoryRoutes,
  notifications: notificationsRoutes,
  oauth: oauthRoutes,
  openai: openaiRoutes,
  pairing: pairingRoutes,
  push: pushRoutes,
  policy: policyRoutes,
  preferences: preferencesRoutes,
  providers: providersRoutes,
  queue: queueRoutes,
  schedules: schedulesRoutes,
  sessions: sessionsRoutes,
  keys: keysRoutes,
  tasks: tasksRoutes,
  tokens: tokensRoutes,
  tools: toolsRoutes,
  usage: usageRoutes,
  users: usersRoutes,
  webhooks: webhooksRoutes,
};
export type Contract = typeof contract;
