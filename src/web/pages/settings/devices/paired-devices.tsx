import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../../../../contract/devices.ts';
import { escapeLine } from '../../../../contract/escape-text.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Field } from '../../../components/form/field.tsx';
import { Form } from '../../../components/form/form.tsx';
import { formText } from '../../../components/form-text.ts';
import { Item, Items } from '../../../components/items.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Problem } from '../../../components/problem.tsx';
import { Ago } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { devicesQuery } from '../../../queries/devices.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { sessionQuery } from '../../../queries/session.ts';
import { SettingsGroup } from '../settings-group.tsx';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['devices'] });

/** Every paired device with what it may do; each can be renamed and revoked. */
export function PairedDevices() {
  const { data, error, refetch } = useQuery(devicesQuery);
  return (
    <SettingsGroup title="Paired devices" hint="Each has a session of its own until you revoke it.">
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data?.length === 0 && (
        <Empty>
          <span>
            Paired devices are listed here. Pair your phone above, or another machine with{' '}
            <code>svc devices pair</code>.
          </span>
        </Empty>
      )}
      {data && data.length > 0 && (
        <Items label="Paired devices">
          {data.map((device) => (
            <DeviceItem key={device.id} device={device} />
          ))}
        </Items>
      )}
    </SettingsGroup>
  );
}

function DeviceItem({ device }: { device: Device }) {
  const { id, role, limited, lastSeenAt, createdAt, current, userId, fingerprint } = device;
  const [open, setOpen] = useState<'rename' | 'revoke'>();
  const isAway = useAway();
  const { data: session } = useQuery(sessionQuery);
  const isOwn = !session?.authenticated || session.user.id === userId;
  const name = escapeLine(device.name);
  const close = () => setOpen(undefined);
  return (
    <Item
      title={name}
      badge={current && <span className="chip">This device</span>}
      note={
        <>
          {rightsOf({ role, limited })}
          {!isOwn && <> · Of {escapeLine(userId)}</>} ·{' '}
          {lastSeenAt ? (
            <>
              Last seen <Ago at={lastSeenAt} />
            </>
          ) : (
            'Not seen yet'
          )}{' '}
          · Paired <Ago at={createdAt} />
          {fingerprint && (
            <>
              {' · '}
              <code>{fingerprint.slice(0, 23)}…</code>
            </>
          )}
        </>
      }
      actions={
        <>
          <button
            type="button"
            className="button"
            aria-label={`Rename ${name}`}
            disabled={isAway}
            onClick={() => setOpen('rename')}
          >
            Rename
          </button>
          <button
            type="button"
            className="button danger"
            aria-label={`Revoke ${name}`}
            disabled={isAway}
            onClick={() => setOpen('revoke')}
          >
            Revoke
          </button>
        </>
      }
    >
      {open === 'rename' && (
        <Dialog title={`Rename ${name}`} onClose={close}>
          <Form
            submit="Rename"
            onCancel={close}
            onSubmit={async (data) => {
              await client.devices.update({ params: { id }, body: { name: formText(data, 'name') } });
              await refresh();
              close();
            }}
          >
            <Field name="name" label="Name">
              {(control) => <input {...control} defaultValue={device.name} maxLength={100} autoFocus />}
            </Field>
          </Form>
        </Dialog>
      )}
      {open === 'revoke' && (
        <ConfirmDialog
          title={`Revoke ${name}?`}
          verb="Revoke"
          onClose={close}
          run={async () => {
            await client.devices.revoke({ params: { id } });
            await refresh();
          }}
        >
          It is signed out at once, and receives no more notifications. Devices that it approved and tokens
          that it created are revoked too.
        </ConfirmDialog>
      )}
    </Item>
  );
}

/** What a device may do, in words. */
function rightsOf({ role, limited }: Pick<Device, 'role' | 'limited'>): string {
  if (limited) return 'Looks, decides and cancels';
  return role === 'admin' ? 'Everything, as administrator' : 'Everything, as user';
}
