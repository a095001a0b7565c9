import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import { FailureNote } from '../../ui/feedback/failure-panel.tsx';
import { Section } from '../../ui/section.tsx';
import classes from './connections.module.css';
import { providerIcon } from './known-providers.ts';

/** The buttons that login pages are told to offer, drawn as they might look. They do nothing. */
export function LoginPreview() {
  const { data, error } = useQuery(socialConnectionsQuery);
  return (
    <Section title="Login page preview" about="The enabled providers, in the order in which login pages show them.">
      {error !== null ? (
        <FailureNote error={error} />
      ) : data === undefined ? (
        <Skeleton height={120} aria-hidden />
      ) : data.length === 0 ? (
        <Text size="sm" c="dimmed">
          No provider is enabled, so login pages show none.
        </Text>
      ) : (
        <ul className={classes.preview} aria-label="Login buttons">
          {data.map(({ provider, display_name }) => {
            const Icon = providerIcon(provider);
            return (
              <li key={provider}>
                <Icon size={18} />
                Continue with {display_name}
              </li>
            );
          })}
        </ul>
      )}
      <Text size="xs" c="dimmed" mt="md">
        The login page must read these settings or request <code>/api/connections/social</code>. The identity service’s
        own configuration is not changed: it rejects providers that it does not know.
      </Text>
    </Section>
  );
}
