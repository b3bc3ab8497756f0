/** Why this browser cannot receive notifications. */
export type PushObstacle = 'insecure' | 'install' | 'unsupported' | 'denied';

/** What is in the way of notifications here; undefined where nothing is. */
export function pushObstacle(): PushObstacle | undefined {
  if (!isSecureContext) return 'insecure';
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return /iPhone|iPad/.test(navigator.userAgent) ? 'install' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** What a person can do about it. */
export const obstacleWords: Record<PushObstacle, string> = {
  insecure:
    'Browsers allow notifications only for pages over https, and this one came over http. Put svc behind https, for example with tailscale serve, or use ntfy below.',
  install: 'On an iPhone or iPad, first choose Share, then Add to Home Screen, and open svc from there.',
  unsupported: 'This browser has no Web Push. Use another one, or ntfy below.',
  denied: 'This browser blocks notifications of svc. Allow them in the settings of the site, then reload.',
};
