import { Code, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { clientQuery, type OauthClient } from '../../../api/oauth-client-record.ts';
import { useRecord } from '../../../resource/detail/use-record.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { FactList } from '../../../ui/fact-list.tsx';
import { FailurePanel } from '../../../ui/feedback/failure-panel.tsx';
import { LoadingRows } from '../../../ui/loading/loading-rows.tsx';
import { Section } from '../../../ui/section.tsx';
import { recreateCommand, tokenCommand } from './client-commands.ts';
import classes from './client-tabs.module.css';
import { developerSettings, discoveryAddress } from './developer-settings.ts';
import { type Discovery, discoveryQuery } from './discovery-query.ts';

/** Settings and commands for the application's developer; contains no secrets. */
export function DeveloperTab() {
  const client = useRecord(clientQuery);
  const { data: discovery, error, refetch } = useQuery(discoveryQuery);
  return (
    <Stack gap="md">
      {discovery !== undefined ? (
        <WithDiscovery client={client} discovery={discovery} />
      ) : error === null ? (
        <LoadingRows label="Loading the OpenID configuration" height={240} />
      ) : (
        <FailurePanel error={error} title="The OpenID configuration is unavailable" onRetry={() => void refetch()} />
      )}
      {/* Rendered after what is above it, which would otherwise push it down. */}
      {(discovery !== undefined || error !== null) && (
        <Command
          title="Copy to another server"
          about="Creates the same client on another OAuth server. Replace the address by its admin API’s. The server generates a new secret and returns it."
          text={recreateCommand(client)}
        />
      )}
    </Stack>
  );
}

function WithDiscovery({ client, discovery }: { client: OauthClient; discovery: Discovery }) {
  const settings = JSON.stringify(developerSettings(client, discovery), null, 2);
  const token = tokenCommand(client, discovery);
  const addresses: [string, string | undefined][] = [
    ['Issuer', discovery.issuer],
    ['Discovery', discoveryAddress(discovery)],
    ['Authorization', discovery.authorization_endpoint],
    ['Token', discovery.token_endpoint],
    ['Userinfo', discovery.userinfo_endpoint],
    ['Keys', discovery.jwks_uri],
    ['Logout', discovery.end_session_endpoint],
    ['Device authorization', discovery.device_authorization_endpoint],
  ];
  return (
    <>
      <Command
        title="OpenID Connect settings"
        about="Libraries find everything else through the discovery address. Pass the secret on separately."
        text={settings}
      />
      <Section title="Addresses of the OAuth server">
        <FactList
          facts={addresses.flatMap(([name, address]) =>
            address === undefined
              ? []
              : [
                  [
                    name,
                    <Code key={name} className={classes.breakable}>
                      {address}
                    </Code>,
                  ] as const,
                ],
          )}
        />
      </Section>
      {token !== undefined && (
        <Command
          title="Request a token"
          about="A terminal command that does what the application does. It prompts for the secret, which stays out of the shell's history."
          text={token}
        />
      )}
    </>
  );
}

const Command = ({ title, about, text }: { title: string; about: string; text: string }) => (
  <Section title={title} about={about} actions={<CopyButton label={`Copy: ${title}`} read={() => text} />}>
    <Code block tabIndex={0} role="group" aria-label={title} className={classes.command}>
      {text}
    </Code>
  </Section>
);
