import { Stack, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLayoutEffect, useRef, useState } from 'react';
import { socialSettingsQuery } from '../../api/settings.ts';
import type { SettingChange } from '../../resource/undo/take-settings-back.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { type Failure, FailurePanel } from '../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { LoadingRows } from '../../ui/loading/loading-rows.tsx';
import classes from './connections.module.css';
import { providerTitle } from './known-providers.ts';
import { LoginPreview } from './login-preview.tsx';
import { ProviderRow } from './provider-row.tsx';
import { moved, ordering, type Step, stepToEnable } from './provider-steps.ts';
import { offerProviderUndo } from './provider-undo.ts';
import { type StoredProvider, storedOrder, storedProviders } from './stored-providers.ts';
import { useSteps } from './use-steps.ts';

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
          <EmptyState
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
