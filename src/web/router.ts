import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readExperiencesSearch } from './pages/experiences/experiences-search.ts';
import { readMemorySearch } from './pages/memory/memory-search.ts';
import { readAuditSearch } from './pages/settings/audit/audit-search.ts';
import { readUsageSearch } from './pages/usage/usage-search.ts';
import { readTasksSearch, searchText as text } from './pages/tasks/tasks-search.ts';
import { agentsQuery } from './queries/agents.ts';
import type { DeadLetterStatus } from './queries/dead-letters.ts';
import type { ScheduleStatus } from './queries/schedules.ts';
import { queryClient } from './queries/query-client.ts';
import { untilLoaded } from './live/until-loaded.ts';
import { taskQuery, taskRowsQuery } from './queries/tasks.ts';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';

/** The component of a page, loaded with it. */
const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => untilLoaded(load), name);

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyPage(() => import('./pages/inbox/inbox.tsx'), 'InboxPage'),
});

/** Redeems a link; the shell shows it instead of any page. */
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', component: () => null });

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyPage(() => import('./pages/sign-up/sign-up.tsx'), 'SignUpPage'),
});

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/first-run',
  validateSearch: ({ step }: Record<string, unknown>): { step?: 2 | 3 } =>
    step === 2 || step === 3 ? { step } : {},
  component: lazyPage(() => import('./pages/first-run/first-run.tsx'), 'FirstRunPage'),
});
/** Asks to pair this browser; the shell shows it instead of any page. */
const pair = createRoute({ getParentRoute: () => root, path: '/pair', component: () => null });

const tasks = createRoute({
  getParentRoute: () => root,
  path: '/tasks',
  validateSearch: readTasksSearch,
  loaderDeps: ({ search: { status, q, label, agent, view } }) => ({ status, q, label, agent, view }),
  // Reading begins with the navigation, or with the pointer over the link, and not after the code has arrived.
  loader: ({ deps: { view, ...filter } }) => {
    if (!view) void queryClient.prefetchQuery(taskRowsQuery(filter));
  },
  component: lazyPage(() => import('./pages/tasks/tasks.tsx'), 'TasksPage'),
});

const newTask = createRoute({
  getParentRoute: () => root,
  path: '/tasks/new',
  loader: () => void queryClient.prefetchQuery(agentsQuery),
  component: lazyPage(() => import('./pages/new-task/new-task.tsx'), 'NewTaskPage'),
});

const task = createRoute({
  getParentRoute: () => root,
  path: '/tasks/$id',
  validateSearch: ({ tab, line }: Record<string, unknown>): { tab?: string; line?: number } => ({
    ...(text(tab) && { tab: text(tab) as string }),
    ...(typeof line === 'number' && { line }),
  }),
  loader: ({ params }) => void queryClient.prefetchQuery(taskQuery(params.id)),
  component: lazyPage(() => import('./pages/task/task.tsx'), 'TaskPage'),
});

const approval = createRoute({
  getParentRoute: () => root,
  path: '/approvals/$id',
  component: lazyPage(() => import('./pages/approval/approval.tsx'), 'ApprovalPage'),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat/{-$id}',
  component: lazyPage(() => import('./pages/chat/chat.tsx'), 'ChatPage'),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  validateSearch: ({ status }: Record<string, unknown>): { status?: ScheduleStatus } => ({
    ...((status === 'active' || status === 'paused' || status === 'done') && { status }),
  }),
  component: lazyPage(() => import('./pages/schedules/schedules.tsx'), 'SchedulesPage'),
});
const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/new',
  component: lazyPage(() => import('./pages/schedules/new-schedule.tsx'), 'NewSchedulePage'),
});
const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id',
  component: lazyPage(() => import('./pages/schedules/schedule.tsx'), 'SchedulePage'),
});
const editSchedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$id/edit',
  component: lazyPage(() => import('./pages/schedules/edit-schedule.tsx'), 'EditSchedulePage'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: ({ add }: Record<string, unknown>): { add?: true } => ({ ...(add === true && { add }) }),
  loader: () => void queryClient.prefetchQuery(agentsQuery),
  component: lazyPage(() => import('./pages/agents/agents.tsx'), 'AgentsPage'),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$type',
  validateSearch: ({ edit }: Record<string, unknown>): { edit?: true } => ({
    ...(edit === true && { edit }),
  }),
  component: lazyPage(() => import('./pages/agents/agent.tsx'), 'AgentPage'),
});

const memory = createRoute({
  getParentRoute: () => root,
  path: '/memory',
  validateSearch: readMemorySearch,
  component: lazyPage(() => import('./pages/memory/memory.tsx'), 'MemoryPage'),
});

const experiences = createRoute({
  getParentRoute: () => root,
  path: '/experiences',
  validateSearch: readExperiencesSearch,
  component: lazyPage(() => import('./pages/experiences/experiences.tsx'), 'ExperiencesPage'),
});

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/dead-letters',
  validateSearch: ({ status }: Record<string, unknown>): { status?: DeadLetterStatus } => ({
    ...((status === 'resolved' || status === 'discarded' || status === 'all') && { status }),
  }),
  component: lazyPage(() => import('./pages/dead-letters/dead-letters.tsx'), 'DeadLettersPage'),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: '/insights',
  validateSearch: ({ days }: Record<string, unknown>): { days?: 7 | 90 | 365 } =>
    days === 7 || days === 90 || days === 365 ? { days } : {},
  component: lazyPage(() => import('./pages/insights/insights.tsx'), 'InsightsPage'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/usage',
  validateSearch: readUsageSearch,
  component: lazyPage(() => import('./pages/usage/usage.tsx'), 'UsagePage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  validateSearch: ({ add }: Record<string, unknown>): { add?: true } => (add === true ? { add } : {}),
  component: lazyPage(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$id',
  validateSearch: ({ status, delivery }: Record<string, unknown>): WebhookSearch => ({
    ...((status === 'pending' || status === 'delivered' || status === 'failed') && { status }),
    ...(text(delivery) && { delivery: text(delivery) as string }),
  }),
  component: lazyPage(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
});
const webhooksIn = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/in',
  validateSearch: ({ from, status, delivery }: Record<string, unknown>): InboundSearch => ({
    ...(text(from) && { from: text(from) as string }),
    ...(text(status) && { status: text(status) as string }),
    ...(text(delivery) && { delivery: text(delivery) as string }),
  }),
  component: lazyPage(() => import('./pages/webhooks-in/webhooks-in.tsx'), 'WebhooksInPage'),
});
interface WebhookSearch {
  status?: 'pending' | 'delivered' | 'failed';
  delivery?: string;
}
interface InboundSearch {
  from?: string;
  status?: string;
  delivery?: string;
}

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyPage(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
});
const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/general', replace: true });
  },
});
const section = <P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => settings, path, component });
const settingsSections = [
  section(
    '/general',
    lazyPage(() => import('./pages/settings/general/general.tsx'), 'GeneralSection'),
  ),
  section(
    '/tokens',
    lazyPage(() => import('./pages/settings/tokens/tokens.tsx'), 'TokensSection'),
  ),
  section(
    '/sessions',
    lazyPage(() => import('./pages/settings/sessions/sessions.tsx'), 'SessionsSection'),
  ),
  section(
    '/integrations',
    lazyPage(() => import('./pages/settings/integrations/integrations.tsx'), 'IntegrationsSection'),
  ),
  section(
    '/models',
    lazyPage(() => import('./pages/settings/models/models.tsx'), 'ModelsSection'),
  ),
  section(
    '/tools',
    lazyPage(() => import('./pages/settings/tools/tools.tsx'), 'ToolsSection'),
  ),
  section(
    '/guards',
    lazyPage(() => import('./pages/settings/guards/guards.tsx'), 'GuardsSection'),
  ),
  section(
    '/people',
    lazyPage(() => import('./pages/settings/people/people.tsx'), 'PeopleSection'),
  ),
  section(
    '/daemons',
    lazyPage(() => import('./pages/settings/daemons/daemons.tsx'), 'DaemonsSection'),
  ),
  section(
    '/data',
    lazyPage(() => import('./pages/settings/data/data.tsx'), 'DataSection'),
  ),
];
const auditSettings = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyPage(() => import('./pages/settings/audit/audit.tsx'), 'AuditSection'),
});
const configurationSettings = createRoute({
  getParentRoute: () => settings,
  path: '/configuration',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string } => ({
    ...(text(q) && { q: text(q) as string }),
  }),
  component: lazyPage(
    () => import('./pages/settings/configuration/configuration.tsx'),
    'ConfigurationSection',
  ),
});

const deviceSettings = createRoute({
  getParentRoute: () => settings,
  path: '/devices',
  component: lazyPage(() => import('./pages/settings/devices/devices.tsx'), 'DevicesSection'),
});
const notificationSettings = createRoute({
  getParentRoute: () => settings,
  path: '/notifications',
  component: lazyPage(
    () => import('./pages/settings/notifications/notifications.tsx'),
    'NotificationsSection',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    inbox,
    signIn,
    signUp,
    firstRun,
    pair,
    tasks,
    newTask,
    task,
    approval,
    chat,
    schedules,
    newSchedule,
    schedule,
    editSchedule,
    agents,
    agent,
    memory,
    experiences,
    deadLetters,
    insights,
    usage,
    webhooks,
    webhooksIn,
    webhook,
    settings.addChildren([
      settingsIndex,
      ...settingsSections,
      auditSettings,
      configurationSettings,
      deviceSettings,
      notificationSettings,
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
