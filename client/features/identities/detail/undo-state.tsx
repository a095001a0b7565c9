import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Identity } from '../../../api/identities-record.ts';
import { useCan } from '../../../api/session.ts';
import { IconArrowBackUp } from '../../../resource/icons.ts';
import { ChangeState } from './change-state.tsx';

/** Beside the record that `standingState` names: takes the activation or deactivation back. */
export function UndoState({ identity }: { identity: Identity }) {
  const may = useCan();
  /** As it was when the operator pressed the button: what the dialog says must not change under their hands. */
  const [asked, setAsked] = useState<Identity>();
  if (!may('upstreams.write')) return null;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconArrowBackUp size={14} />}
        aria-label={identity.state === 'active' ? 'Undo the activation' : 'Undo the deactivation'}
        onClick={() => setAsked(identity)}
      >
        Undo
      </Button>
      {asked !== undefined && <ChangeState identity={asked} undoing onClose={() => setAsked(undefined)} />}
    </>
  );
}
