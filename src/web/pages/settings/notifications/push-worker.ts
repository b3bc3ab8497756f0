import type { PushKind } from '../../../../contract/push.ts';
import { client } from '../../../client.ts';

/** The file that shows notifications. It has no other use: it answers no requests, so pages are never stale. */
const WORKER = '/push-worker.js';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

/** The address as browsers with Trusted Types want it: of a policy that the content security policy names. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  trusted ??= trustedTypes?.createPolicy('svc-worker', {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError('The only worker is the one for notifications');
      return url;
    },
  });
  return trusted?.createScriptURL(WORKER) ?? WORKER;
}
let trusted: ReturnType<TrustedTypes['createPolicy']> | undefined;

/** Thrown where a person did not allow notifications. */
export class NotAllowed extends Error {}

/** Asks for permission and sends the notifications of these kinds to this browser. Call it from a click. */
export async function subscribeHere(publicKey: string, kinds: PushKind[]): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new NotAllowed();
  await navigator.serviceWorker.register(workerUrl());
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  const subscription = await pushManager.subscribe(options).catch(async (error: unknown) => {
    // It was made for another daemon at this address.
    const former = await pushManager.getSubscription();
    if (!former) throw error;
    await former.unsubscribe();
    return pushManager.subscribe(options);
  });
  const { endpoint = '', keys } = subscription.toJSON();
  await client.push.subscribe({
    body: { endpoint, keys: { p256dh: keys?.['p256dh'] ?? '', auth: keys?.['auth'] ?? '' }, kinds },
  });
}

/** Ends the notifications in this browser. */
export async function unsubscribeHere(id: string): Promise<void> {
  await client.push.unsubscribe({ params: { id } });
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
