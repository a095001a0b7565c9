import { Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { socialConnectionsQuery } from '../../api/social-connections.ts';
import { FailureNote } from '../../ui/feedback/failure-panel.tsx';
import { Section } from '../../ui/section.tsx';
import classes from './connections.module.css';
import { providerIcon } from './known-providers.ts';

/** What this service tells login pages to offer, as one would show it. Nothing in it can be pressed. */
export function LoginPreview() {
  const { data, error } = useQuery(socialConnectionsQuery);
  return (
    <Section title="On a login page" about="As a login page would show them, in this order.">
      {error !== null ? (
        <FailureNote error={error} />
      ) : data === undefined ? (
        <Skeleton height={120} aria-hidden />
      ) : data.length === 0 ? (
        <Text size="sm" c="dimmed">
          No provider is enabled: a login page has nothing to offer here.
        </Text>
      ) : (
        <ul className={classes.preview} aria-label="Buttons of a login page">
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
        The login page has to read these settings, or ask <code>/api/connections/social</code>. The identity service’s
        own configuration is not changed: what it does not know, it refuses.
      </Text>
    </Section>
  );
}
