import { useQuery } from '@tanstack/react-query';
import { oauthAppPages, productNames, vendors, wireName } from '../../../../contract/vendors.ts';
import { trimSlashes } from '../../../../contract/trim-slashes.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import form from '../../../components/form/form.module.css';
import { Section } from '../../../components/form/field.tsx';
import { OutsideLink } from '../../../components/outside-link.tsx';
import { configQuery } from '../../../queries/config.ts';
import { SettingItems } from '../configuration/setting-items.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import styles from '../settings.module.css';

/** The OAuth app of the daemon at each product, and the secret that signs what arrives from there. */
export function OAuthApps() {
  const { data: settings } = useQuery(configQuery);
  const { value, pending = value } = settings?.['server.baseUrl'] ?? { value: null };
  const base = typeof pending === 'string' ? trimSlashes(pending) : location.origin;
  return (
    <SettingsGroup
      title="OAuth apps and webhooks"
      hint="The app with which people connect their accounts, and the secret that signs what arrives."
    >
      <div className={form['sections']}>
        {vendors.map((vendor) => (
          <Section key={vendor} title={`${productNames[vendor]}: OAuth app and webhooks`}>
            <div className={`${styles['stack']} ${styles['wide']}`}>
              <p className="muted">
                Create an OAuth app at{' '}
                <OutsideLink href={oauthAppPages[vendor]} text={oauthAppPages[vendor]}>
                  {oauthAppPages[vendor]}
                </OutsideLink>{' '}
                with the first address as its callback URL. Webhooks go to the second one.
              </p>
              <CopiedValue
                name={`callback URL of ${productNames[vendor]}`}
                value={`${base}/api/auth/${wireName(vendor)}/callback`}
              />
              <CopiedValue
                name={`webhook URL of ${productNames[vendor]}`}
                value={`${base}/api/webhooks/${wireName(vendor)}`}
              />
              <SettingItems
                label={`OAuth app and webhooks of ${productNames[vendor]}`}
                keys={[
                  `integrations.${vendor}.clientId`,
                  `integrations.${vendor}.clientSecret`,
                  `webhooks.${vendor}.signingSecret`,
                  `integrations.${vendor}.token`,
                ]}
              />
            </div>
          </Section>
        ))}
      </div>
    </SettingsGroup>
  );
}
