import { Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { operatorsQuery } from '../../api/security.ts';
import { useCan, useOperator, useRefusal } from '../../api/session.ts';
import { type FilterPanelProps, Options } from '../../list/filter-panel.tsx';
import { personLabel, useFoundPeople } from '../../list/search.tsx';

/** Finds operators and people by any part of a name or address. Enter also takes an id or an exact address. */
export function WhoPanel({ change, close }: FilterPanelProps) {
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { options, pending } = useOptions(text);
  // Records are filtered by id. After a reset, or once the panel is gone, a late response chooses nobody.
  const lookup = useMutation({ mutationFn: findOperator });
  const refusal = useRefusal('operators.read');
  // Without a text, Enter would choose somebody by chance.
  const first = text === '' ? undefined : options[0]?.value;
  const choose = (actor: string): void => {
    change(actor);
    close();
  };
  const lookUp = (): void => {
    if (!text.includes('@')) choose(text);
    else if (refusal === undefined)
      lookup.mutate(text, { onSuccess: (operator) => operator && choose(operator.identity_id) });
  };
  const problem =
    refusal !== undefined && text.includes('@')
      ? `${refusal} An identity id works.`
      : lookup.isError
        ? 'The operators’ store is unavailable. An identity id works without it.'
        : lookup.isSuccess && lookup.data === undefined && 'No operator signs in with this address.';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown')
      event.currentTarget.closest('[role=dialog]')?.querySelector<HTMLElement>('[role=option]')?.focus();
    else if (event.key === 'Enter' && first !== undefined) choose(first);
    else if (event.key === 'Enter' && text !== '') lookUp();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        aria-label="Who"
        placeholder="Name, e-mail or identity id"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={typed}
        error={problem}
        onChange={({ currentTarget }) => {
          lookup.reset();
          setTyped(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <Options label="Operators and people" options={options} {...(first && { value: first })} onChoose={choose} />
      <Text size="xs" c="dimmed" role="status">
        {pending || lookup.isPending ? 'Searching…' : text !== '' && options.length === 0 ? NOBODY : ''}
      </Text>
    </>
  );
}

const NOBODY = 'Nobody found. Enter takes an id or looks up an e-mail address.';
const MOST = 6;
/** Each search for people leaves an audit record, so it waits until the operator pauses. */
const PAUSE_MS = 400;
const LEAST_CHARACTERS = 3;

/** Operators, and then people, whose name, address or id contains this text. */
function useOptions(text: string) {
  const { identityId, email } = useOperator();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data } = useQuery({ ...operatorsQuery, enabled: useCan()('operators.read') });
  const others = data?.operators.map(({ identity_id }) => identity_id).filter((id) => id !== identityId) ?? [];
  const names = useOperatorNames(others);
  const operators = [
    { value: identityId, label: `You, ${email}` },
    ...others.map((id) => {
      const { name, email } = names.get(id) ?? {};
      return { value: id, label: [name, email].filter(Boolean).join(', ') || id };
    }),
  ].filter(({ value, label }) => `${value} ${label}`.toLowerCase().includes(text.toLowerCase()));
  const isLong = text.length >= LEAST_CHARACTERS;
  const found = useFoundPeople(settled, isLong && settled === text);
  const people = found.people
    .filter(({ id }) => operators.every(({ value }) => value !== id))
    .map((person) => ({ value: person.id, label: personLabel(person) }));
  return {
    options: [...operators.slice(0, MOST), ...people],
    pending: found.pending || (isLong && settled !== text),
  };
}
