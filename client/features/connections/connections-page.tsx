import { Button, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { useCan, useRefusal } from '../../api/session.ts';
import { socialConnectionsQuery, socialSettingsQuery } from '../../api/settings.ts';
import type { SettingChange } from '../../record/undo.ts';
import { GuardedButton } from '../../ui/buttons.tsx';
import { type Failure, FailureNote, FailurePanel } from '../../ui/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { PageHeading, Section } from '../../ui/layout.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { LoadingRows } from '../../ui/loading.tsx';
import { NoAccessPage, StatePanel } from '../../ui/state-panel.tsx';
import classes from './connections.module.css';
import { ProviderRow } from './provider-row.tsx';
import { moved, offerProviderUndo, ordering, type Step, stepToEnable, useSteps } from './provider-steps.ts';
import { providerIcon, providerTitle, type StoredProvider, storedOrder, storedProviders } from './providers.ts';

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

export function Providers() {
  const { data: settings, error, refetch } = useQuery(socialSettingsQuery);
  const queryClient = useQueryClient();
  const { change, failure, list } = useProviderChanges();
  const [status, setStatus] = useState('');
  if (error !== null) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  if (settings === undefined) {
    return <LoadingRows label="Loading the providers" rows={2} height={64} />;
  }
  const providers = storedProviders(settings);
  const names = providers.map(({ name }) => name);
  const move = (provider: StoredProvider, by: -1 | 1): void => {
    const order = moved(names, storedOrder(settings), provider.name, by);
    void change(ordering(order), () =>
      setStatus(`${providerTitle(provider)} is now ${order.indexOf(provider.name) + 1} of ${names.length}`),
    );
  };
  return (
    <div className={classes.beside}>
      <Stack gap="sm">
        {failure !== undefined && <FailurePanel error={failure} />}
        <VisuallyHidden role="status">{status}</VisuallyHidden>
        {providers.length === 0 ? (
          <StatePanel
            kind="no-data"
            title="No social providers yet"
            text="Add one with the client id and secret that the provider issued for your login page."
          />
        ) : (
          <ol className={classes.list} ref={list}>
            {providers.map((provider, index) => (
              <ProviderRow
                key={provider.name}
                provider={provider}
                earlier={index === 0 ? undefined : () => move(provider, -1)}
                later={index === providers.length - 1 ? undefined : () => move(provider, 1)}
                setEnabled={(enabled) =>
                  void change(stepToEnable(provider.name, enabled), (changes) =>
                    offerProviderUndo(
                      `${providerTitle(provider)} is ${enabled ? 'enabled' : 'disabled'}`,
                      provider,
                      changes,
                      queryClient,
                    ),
                  )
                }
              />
            ))}
          </ol>
        )}
      </Stack>
      <LoginPreview />
    </div>
  );
}

/** Runs one change at a time. Focus returns to the same control, even if its row has moved. */
function useProviderChanges() {
  const runSteps = useSteps();
  const { run } = useSingleFlight();
  const [failure, setFailure] = useState<Failure>();
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<string | undefined>(undefined);
  // Without dependencies, since any render may move the row.
  useLayoutEffect(() => {
    if (focused.current === undefined || document.activeElement !== document.body) return;
    list.current?.querySelector<HTMLElement>(`[data-control="${focused.current}"]`)?.focus();
  });
  const change = (step: Step, onDone: (changes: SettingChange[]) => void): Promise<void> =>
    run(async () => {
      setFailure(undefined);
      focused.current = (document.activeElement as HTMLElement | null)?.dataset.control;
      await runSteps([step]).then(onDone, (error) => setFailure(error));
    });
  return { change, failure, list };
}

const ProviderDialog = lazyPart(() => import('./provider-dialog.tsx'), 'ProviderDialog');

const TITLE = 'Connections';
const ABOUT = 'Social providers that customers can sign in with.';

export function ConnectionsPage() {
  const may = useCan();
  const refusal = useRefusal('settings.write');
  const [adding, setAdding] = useState(false);
  const icon = <IconPlus />;
  const add =
    refusal === undefined ? (
      <Button leftSection={icon} onClick={() => setAdding(true)}>
        Add provider
      </Button>
    ) : (
      <GuardedButton reason={refusal} leftSection={icon} onClick={() => {}}>
        Add provider
      </GuardedButton>
    );
  if (!may('settings.read')) return <NoAccessPage title={TITLE} about={ABOUT} actions={add} />;
  return (
    <>
      <PageHeading title={TITLE} about={ABOUT} actions={add} />
      <Providers />
      {adding && <ProviderDialog name={undefined} onClose={() => setAdding(false)} />}
    </>
  );
}
