/** A section of the settings, under an address of its own. */
export interface SettingsSection {
  path: string;
  name: string;
  /** Whether only administrators see it, among the settings of the daemon. */
  isForAdmins?: boolean;
}

/** The sections, in their order. */
export const sections: readonly SettingsSection[] = [
  { path: '/settings/general', name: 'General' },
  { path: '/settings/devices', name: 'Devices' },
  { path: '/settings/notifications', name: 'Notifications' },
  { path: '/settings/integrations', name: 'Integrations' },
  { path: '/settings/tokens', name: 'Tokens' },
  { path: '/settings/sessions', name: 'Sessions' },
  { path: '/settings/models', name: 'Models', isForAdmins: true },
  { path: '/settings/tools', name: 'Tools and policy', isForAdmins: true },
  { path: '/settings/guards', name: 'Guards', isForAdmins: true },
  { path: '/settings/people', name: 'People', isForAdmins: true },
  { path: '/settings/audit', name: 'Audit', isForAdmins: true },
  { path: '/settings/daemons', name: 'Daemons', isForAdmins: true },
  { path: '/settings/data', name: 'Data', isForAdmins: true },
  { path: '/settings/configuration', name: 'Configuration', isForAdmins: true },
];
