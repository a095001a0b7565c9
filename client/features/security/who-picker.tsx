import { Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { findOperator, useOperatorNames } from '../../api/names.ts';
import { operatorsQuery } from '../../api/security.ts';
import { useCan, useOperator, useRefusal } from '../../api/session.ts';
import { identifierOf, nameOf } from '../../lib/identity-name.ts';
import { useFoundPeople } from '../../list/search.tsx';
import { Person } from '../../ui/person.tsx';
import classes from './security.module.css';

/** Finds an operator or a person by any part of a name or address; Enter also takes an id or an exact address. */
export function WhoPicker({ onChoose }: { onChoose: (actor: string) => void }) {
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const { operators, people, pending: searching } = useChoices(text);
  const [chosen, setChosen] = useState<string>();
  const { pending, problem, reset, findActor } = useActorSearch();
  const list = useId();
  const all = [...operators, ...people];
  // Without a text, Enter would choose somebody by chance.
  const current = all.find(({ id }) => id === chosen) ?? (text === '' ? undefined : all[0]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) {
      const index = current === undefined ? (step > 0 ? -1 : 0) : all.indexOf(current);
      setChosen(all[(index + step + all.length) % all.length]?.id);
    } else if (event.key === 'Enter') {
      if (current !== undefined) onChoose(current.id);
      else if (text !== '') void findActor(text, onChoose);
    } else return;
    event.preventDefault();
  };
  const groupOf = (label: string, choices: readonly Choice[]): ReactNode =>
    choices.length > 0 && (
      // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
      <div role="group" aria-label={label}>
        <Text size="xs" c="dimmed" px={8} py={4} aria-hidden>
          {label}
        </Text>
        {choices.map(({ id, ...names }) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={id}
            id={`${list}-${id}`}
            role="option"
            aria-selected={id === current?.id}
            tabIndex={-1}
            className={classes.option}
            onClick={() => onChoose(id)}
          >
            {Person({ id, ...names, oneLine: true })}
          </div>
        ))}
      </div>
    );
  return (
    <>
      <TextInput
        role="combobox"
        aria-label="Who"
        placeholder="Name, e-mail or identity id"
        aria-expanded={all.length > 0}
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={current && `${list}-${current.id}`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={typed}
        error={problem}
        onChange={({ currentTarget }) => {
          reset();
          setChosen(undefined);
          setTyped(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} role="listbox" aria-label="Operators and people" className={classes.options} tabIndex={-1}>
        {groupOf('Operators', operators)}
        {groupOf('People', people)}
      </div>
      <Text size="xs" c="dimmed" px={8} role="status">
        {pending || searching ? 'Searching…' : text !== '' && all.length === 0 ? NOBODY : ''}
      </Text>
    </>
  );
}

const NOBODY = 'Nobody found. Enter takes an id or looks up an e-mail address.';

interface Choice {
  id: string;
  name: string | undefined;
  identifier: string | undefined;
}

const MOST = 6;
/** Each search for people leaves an audit record, so it waits until the operator pauses. */
const PAUSE_MS = 400;
const LEAST_CHARACTERS = 3;

/** Operators and then people whose name, address or id contains this text. */
function useChoices(text: string): { operators: Choice[]; people: Choice[]; pending: boolean } {
  const { identityId, email } = useOperator();
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const { data, isFetching } = useQuery({ ...operatorsQuery, enabled: useCan()('operators.read'), staleTime: 60_000 });
  const ids = data?.operators.map(({ identity_id }) => identity_id) ?? [];
  const names = useOperatorNames(ids);
  const search = text.toLowerCase();
  const fits = (...texts: (string | null | undefined)[]) => texts.some((one) => one?.toLowerCase().includes(search));
  const operators = [
    { id: identityId, name: 'You', identifier: email ?? undefined },
    ...ids
      .filter((id) => id !== identityId)
      .map(
        (id): Choice => ({ id, name: names.get(id)?.name ?? undefined, identifier: names.get(id)?.email ?? undefined }),
      ),
  ].filter(({ id, name, identifier }) => fits(id, name, identifier));
  const isLong = text.length >= LEAST_CHARACTERS;
  const found = useFoundPeople(settled, settled === text && isLong);
  const people = found.people
    .filter(({ id }) => operators.every((operator) => operator.id !== id))
    .map((person): Choice => ({ id: person.id, name: nameOf(person), identifier: identifierOf(person) }));
  const pending = found.pending || (isLong && settled !== text) || (data === undefined && isFetching);
  return { operators: operators.slice(0, MOST), people, pending };
}

/** Looks up an e-mail address, because records are filtered by id. */
function useActorSearch() {
  const request = useRef<AbortController>(undefined);
  const [pending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const refusal = useRefusal('operators.read');
  // A late response must not navigate after the operator has left the page.
  useEffect(() => () => request.current?.abort(), []);

  const reset = (): void => {
    request.current?.abort();
    setPending(false);
    setProblem(undefined);
  };
  /** @param onFound called with the id, unless another search starts first */
  async function findActor(typed: string, onFound: (actor: string) => void): Promise<void> {
    reset();
    if (!typed.includes('@')) return onFound(typed);
    if (refusal !== undefined) return setProblem(`${refusal} An identity id works.`);
    request.current = new AbortController();
    const { signal } = request.current;
    setPending(true);
    try {
      const operator = await findOperator(typed, signal);
      if (signal.aborted) return;
      if (operator) onFound(operator.identity_id);
      else setProblem('No operator signs in with this address.');
    } catch {
      if (signal.aborted) return;
      setProblem('The operators’ store is unavailable. An identity id works without it.');
    }
    setPending(false);
  }
  return { pending, problem, reset, findActor };
}
