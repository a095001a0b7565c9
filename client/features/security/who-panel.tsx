import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { operatorsQuery } from '../../api/security.ts';
import { useOperator, useRefusal } from '../../api/session.ts';
import { type FilterPanelProps, Options } from '../../list/filter-panel.tsx';

const MOST = 8;

/** Finds operators by part of a name or address. Enter also accepts an id or a whole address. */
export function WhoPanel({ change, close }: FilterPanelProps) {
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { identityId, email } = useOperator();
  const refusal = useRefusal('operators.read');
  const { data } = useQuery({ ...operatorsQuery, enabled: refusal === undefined });
  const others = data?.operators.map(({ identity_id }) => identity_id).filter((id) => id !== identityId) ?? [];
  const names = useOperatorNames(others);
  const labelOf = (id: string) => [names.get(id)?.name, names.get(id)?.email].filter(Boolean).join(', ') || id;
  const options = [
    { value: identityId, label: `You, ${email}` },
    ...others.map((id) => ({ value: id, label: labelOf(id) })),
  ].filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(text.toLowerCase()));
  // A response that arrives after a reset, or after the panel has closed, must choose nobody.
  const lookup = useMutation({ mutationFn: findOperator });
  const choose = (actor: string): void => {
    change(actor);
    close();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const first = event.currentTarget.closest('[role=dialog]')?.querySelector<HTMLElement>('[role=option]');
    if (event.key === 'ArrowDown') first?.focus();
    // Without text, Enter would choose an arbitrary person.
    else if (event.key !== 'Enter' || text === '') return;
    else if (first) first.click();
    else if (!text.includes('@')) choose(text);
    else if (refusal === undefined)
      lookup.mutate(text, { onSuccess: (operator) => operator && choose(operator.identity_id) });
    event.preventDefault();
  };
  const isUnknown = lookup.isSuccess && lookup.data === undefined;
  return (
    <>
      <TextInput
        aria-label="Who"
        placeholder="Name, e-mail or identity ID"
        description={text !== '' && options.length === 0 && 'Press Enter to use an ID or a whole e-mail address.'}
        inputWrapperOrder={['input', 'description', 'error']}
        autoCapitalize="none"
        value={typed}
        error={
          (text.includes('@') && refusal) ||
          lookup.error?.message ||
          (isUnknown && 'No operator signs in with this address.')
        }
        onChange={({ currentTarget }) => {
          lookup.reset();
          setTyped(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <Options label="Operators" options={options.slice(0, MOST)} onChoose={choose} />
    </>
  );
}
