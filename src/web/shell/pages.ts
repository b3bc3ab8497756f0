import type { IconName } from '../components/icon-paths.ts';

/** The headings under which the navigation lists pages; what needs somebody, and what is going on, has none. */
export const groups = ['', 'Work', 'Agents', 'Connections', 'Daemon'] as const;

/** A page of the navigation. */
export interface NavigationPage {
  path: string;
  name: string;
  icon: IconName;
  group: (typeof groups)[number];
  /** The key that follows `g`. */
  key?: string;
  /** Whether a phone shows it in its bar; the others are under More. */
  isOnPhone?: boolean;
}

/** The pages, in the order of the navigation; the palette and the keys are derived from it. */
export const pages: readonly NavigationPage[] = [
  { path: '/', name: 'Inbox', icon: 'inbox', group: '', key: 'i', isOnPhone: true },
  { path: '/tasks', name: 'Tasks', icon: 'list-todo', group: '', key: 't', isOnPhone: true },
  { path: '/chat', name: 'Chat', icon: 'message-square', group: '', key: 'c', isOnPhone: true },
  { path: '/schedules', name: 'Schedules', icon: 'calendar-clock', group: 'Work', key: 'h' },
  { path: '/dead-letters', name: 'Dead letters', icon: 'mail-x', group: 'Work', key: 'd' },
  { path: '/insights', name: 'Insights', icon: 'chart-line', group: 'Work' },
  { path: '/usage', name: 'Usage', icon: 'coins', group: 'Work' },
  { path: '/agents', name: 'Agents', icon: 'bot', group: 'Agents', key: 'a' },
  { path: '/memory', name: 'Memory', icon: 'brain', group: 'Agents', key: 'm' },
  { path: '/experiences', name: 'Experiences', icon: 'lightbulb', group: 'Agents' },
  { path: '/webhooks', name: 'Webhooks', icon: 'webhook', group: 'Connections', key: 'w' },
  { path: '/settings', name: 'Settings', icon: 'settings', group: 'Daemon', key: 's' },
];

/** What the palette can begin, beside pages and tasks. */
export const actions: readonly Pick<NavigationPage, 'path' | 'name' | 'icon' | 'key'>[] = [
  { path: '/tasks/new', name: 'New task', icon: 'plus' },
  { path: '/first-run', name: 'Set up svc', icon: 'sliders-horizontal' },
];
