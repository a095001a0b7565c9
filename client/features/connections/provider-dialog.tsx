import { Modal } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { socialSettingsQuery } from '../../api/settings.ts';
import type { Failure } from '../../ui/feedback/failure-panel.tsx';
import { useSingleFlight } from '../../ui/hooks/use-single-flight.ts';
import { providerTitle } from './known-providers.ts';
import { type DraftProblems, draftOf, draftProblems, EMPTY_DRAFT } from './provider-draft.ts';
import { ProviderForm } from './provider-form.tsx';
import { stepsToSave } from './provider-steps.ts';
import { offerProviderUndo } from './provider-undo.ts';
import { storedOrder, storedProviders } from './stored-providers.ts';
import { useSteps } from './use-steps.ts';

/**
 * Adds a provider, or edits the one with this name. After a failed step, a retry starts from what is stored by then.
 */
export function ProviderDialog({ name, onClose }: { name: string | undefined; onClose: () => void }) {
  const { data: settings = [] } = useQuery(socialSettingsQuery);
  const providers = storedProviders(settings);
  const [begun, setBegun] = useState(name !== undefined);
  const [draft, setDraft] = useState(() => {
    const opened = providers.find((provider) => provider.name === name);
    return opened === undefined ? EMPTY_DRAFT : draftOf(opened);
  });
  const [problems, setProblems] = useState<DraftProblems>({});
  const [failure, setFailure] = useState<Failure>();
  const { run, pending } = useSingleFlight();
  const runSteps = useSteps();
  const queryClient = useQueryClient();
  const before = providers.find((provider) => provider.name === draft.name);

  const save = (): void => {
    const found = draftProblems(draft, before, begun);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    void run(async () => {
      setFailure(undefined);
      setBegun(true);
      try {
        const changes = await runSteps(stepsToSave(draft, before, storedOrder(settings)));
        offerProviderUndo(`${providerTitle(draft)} is saved`, before, changes, queryClient);
        onClose();
      } catch (error) {
        setFailure(error as Error);
      }
    });
  };
  return (
    <Modal
      opened
      onClose={() => !pending && onClose()}
      title={name === undefined ? 'Add a provider' : `Edit ${providerTitle(draft)}`}
      closeButtonProps={{ 'aria-label': 'Close', disabled: pending }}
    >
      <ProviderForm
        draft={draft}
        change={(members) => setDraft({ ...draft, ...members })}
        named={begun}
        taken={providers.map((provider) => provider.name)}
        secretStored={before?.stored.has('client_secret') === true}
        idHidden={before?.stored.has('client_id') === true && before.clientId === ''}
        problems={problems}
        failure={failure}
        pending={pending}
        onSubmit={save}
        onCancel={onClose}
      />
    </Modal>
  );
}
