import { agentsRoutes } from './agents.ts';
import { authRoutes } from './auth.ts';
import { configRoutes } from './config.ts';
import { dlqRoutes } from './dlq.ts';
import { healthRoutes } from './health.ts';
import { notificationsRoutes } from './notifications.ts';
import { queueRoutes } from './queue.ts';
import { tasksRoutes } from './tasks.ts';

/** Every resource once. */
export const contract = {
  agents: agentsRoutes,
  auth: authRoutes,
  config: configRoutes,
  dlq: dlqRoutes,
  health: healthRoutes,
  notifications: notificationsRoutes,
  queue: queueRoutes,
  tasks: tasksRoutes,
};
export type Contract = typeof contract;
