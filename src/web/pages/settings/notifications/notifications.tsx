import { useQuery } from '@tanstack/react-query';
import { UnlessLimited } from '../../../components/limited.tsx';
import { Loading } from '../../../components/loading.tsx';
import { Problem } from '../../../components/problem.tsx';
import { pushQuery } from '../../../queries/push.ts';
import { SettingsGroup } from '../settings-group.tsx';
import { NtfyForm } from './ntfy-form.tsx';
import { OtherBrowsers } from './other-browsers.tsx';
import { ThisBrowser } from './this-browser.tsx';

/** Where notifications of the user arrive: in browsers, and through ntfy where browsers cannot. */
export function NotificationsSection() {
  const { data, error, refetch } = useQuery(pushQuery);
  return (
    <>
      <SettingsGroup
        title="On this device"
        hint="A notification names the tool or the task, never what a call would do. It arrives also while svc is not open."
      >
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={2} />}
        {data && (
          <ThisBrowser
            publicKey={data.publicKey}
            subscription={data.subscriptions.find(({ current }) => current)}
          />
        )}
      </SettingsGroup>
      {data?.subscriptions.some(({ current }) => !current) && (
        <OtherBrowsers subscriptions={data.subscriptions.filter(({ current }) => !current)} />
      )}
      <UnlessLimited>
        <NtfyForm />
      </UnlessLimited>
    </>
  );
}
