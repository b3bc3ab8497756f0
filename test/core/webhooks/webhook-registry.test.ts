import { expect, it } from 'vitest';
import { WebhookRegistry } from '../../../src/core/webhooks/webhook-registry.ts';
import type { SubscribedRow } from '../../../src/core/webhooks/webhook-store.ts';
import { settle } from '../../helpers/settle.ts';
import { openOutbox, webhookRow } from '../../helpers/webhooks.ts';

type World = Awaited<ReturnType<typeof openOutbox>>;

const toldOf = ({ registry }: Pick<World, 'registry'>, ownerId: string) =>
  registry.of(ownerId).map(({ id }) => id);

async function setUser(
  { database, bus }: World,
  id: string,
  change: { role?: string; disabled_at?: string | null },
) {
  await database.write(async (transaction) => {
    await transaction.db.updateTable('users').set(change).where('id', '=', id).execute();
    transaction.afterCommit(() => bus.emit('rights_changed', { userId: id }));
  });
  await settle();
}

it('webhooks receive the tasks of their user, and those of an administrator all tasks', async () => {
  await using world = await openOutbox();
  await world.addUser('user_root', { role: 'admin' });
  await world.addUser('user_ann');
  await world.addUser('user_bob');
  await world.addWebhooks(
    webhookRow('wh_ann', { owner_id: 'user_ann' }),
    webhookRow('wh_failing', { owner_id: 'user_ann', status: 'failing' }),
    webhookRow('wh_paused', { owner_id: 'user_ann', status: 'paused' }),
    webhookRow('wh_root', { owner_id: 'user_root', sees_all: 1 }),
    webhookRow('wh_root_own', { owner_id: 'user_root' }),
  );
  expect(toldOf(world, 'user_ann')).toEqual(['wh_ann', 'wh_failing', 'wh_root']);
  expect(toldOf(world, 'user_bob')).toEqual(['wh_root']);
  expect(toldOf(world, 'user_root')).toEqual(['wh_root_own', 'wh_root']);
});

it('webhooks follow the rights of their users', async () => {
  await using world = await openOutbox();
  await world.addUser('user_root', { role: 'admin' });
  await world.addUser('user_ann');
  await world.addWebhooks(
    webhookRow('wh_ann', { owner_id: 'user_ann' }),
    webhookRow('wh_root', { owner_id: 'user_root', sees_all: 1 }),
  );
  await setUser(world, 'user_root', { role: 'user' });
  expect(toldOf(world, 'user_ann')).toEqual(['wh_ann']);
  expect(toldOf(world, 'user_root')).toEqual(['wh_root']);
  await setUser(world, 'user_ann', { disabled_at: '2026-01-01T00:00:00.000Z' });
  expect(toldOf(world, 'user_ann')).toEqual([]);
  await setUser(world, 'user_root', { role: 'admin' });
  expect(toldOf(world, 'user_ann')).toEqual(['wh_root']);
  await setUser(world, 'user_root', { disabled_at: '2026-01-01T00:00:00.000Z' });
  expect(toldOf(world, 'user_root')).toEqual([]);
  await setUser(world, 'user_ann', { disabled_at: null });
  expect(toldOf(world, 'user_ann')).toEqual(['wh_ann']);
});

it('the registry keeps the latest read, whichever answer comes first', async () => {
  const answers: PromiseWithResolvers<SubscribedRow[]>[] = [];
  const registry = new WebhookRegistry({
    subscribed: () => {
      const answer = Promise.withResolvers<SubscribedRow[]>();
      answers.push(answer);
      return answer.promise;
    },
  });
  const reloads = [registry.reload(), registry.reload()];
  answers[1]?.resolve([{ ...webhookRow('wh_newer'), role: 'user' }]);
  await reloads[1];
  answers[0]?.resolve([{ ...webhookRow('wh_older'), role: 'user' }]);
  await reloads[0];
  expect(toldOf({ registry }, 'user_owner')).toEqual(['wh_newer']);
});
