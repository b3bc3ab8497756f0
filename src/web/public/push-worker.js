// Shows notifications and opens what they are about. It keeps nothing and answers no requests, so that pages are never stale.

addEventListener('install', (event) => event.waitUntil(skipWaiting()));

// Only the page of a window that it controls can be changed.
addEventListener('activate', (event) => event.waitUntil(clients.claim()));

addEventListener('push', (event) => event.waitUntil(show(event.data?.json())));

addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function show({ kind, title, link, tag }) {
  const options = { tag, data: link, icon: '/icon-192.png', badge: '/badge-96.png' };
  if (kind !== 'decided') return registration.showNotification(title, { ...options, renotify: true });
  // Nothing to do any more: the question goes. Browsers insist on a notification unless a page is open.
  for (const shown of await registration.getNotifications({ tag })) shown.close();
  const pages = await clients.matchAll({ type: 'window' });
  if (pages.some(({ visibilityState }) => visibilityState === 'visible')) return;
  await registration.showNotification(title, { ...options, silent: true });
}

/** Opens a page of svc, in the window that is there. */
async function open(link) {
  const url = new URL(link, location.origin);
  if (url.origin !== location.origin) return;
  const [page] = await clients.matchAll({ type: 'window' });
  if (!page) return void (await clients.openWindow(url.href));
  await page.focus();
  await page.navigate(url.href);
}
