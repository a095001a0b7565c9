import '@mantine/core/styles/Input.layer.css';
import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, memo, useEffect, useId, useState } from 'react';

const route = getRouteApi('/signed-in/oauth/clients');

/** Nothing is looked up while something is typed: whole names only are found. */
export const ClientSearch = memo(function ClientSearch() {
  const searched = route.useSearch({ select: ({ name, owner }) => ({ name: name ?? '', owner: owner ?? '' }) });
  const navigate = route.useNavigate();
  const explanation = useId();
  const [name, setName] = useState(searched.name);
  const [owner, setOwner] = useState(searched.owner);
  useEffect(() => setName(searched.name), [searched.name]);
  useEffect(() => setOwner(searched.owner), [searched.owner]);

  const look = (wanted: { name: string; owner: string }): void =>
    void navigate({
      search: ({ page_size }) => ({
        name: wanted.name.trim() || undefined,
        owner: wanted.owner.trim() || undefined,
        page_size,
      }),
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    look({ name, owner });
  };
  const clear = (member: 'name' | 'owner'): void => {
    if (member === 'name') setName('');
    else setOwner('');
    if (searched[member] !== '') look({ ...searched, [member]: '' });
  };

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-start" maw="46rem">
          <TextInput
            flex="2 1 12rem"
            aria-label="Name"
            aria-describedby={explanation}
            placeholder="Name"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={
              name !== '' && <CloseButton size="sm" aria-label="Clear the name" onClick={() => clear('name')} />
            }
            autoComplete="off"
            spellCheck={false}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            flex="1 1 8rem"
            aria-label="Owner"
            aria-describedby={explanation}
            placeholder="Owner"
            rightSection={
              owner !== '' && <CloseButton size="sm" aria-label="Clear the owner" onClick={() => clear('owner')} />
            }
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={owner}
            onChange={(event) => setOwner(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Search
          </Button>
        </Group>
        <Text id={explanation} size="xs" c="dimmed" mt={4}>
          Enter searches. The whole name or owner must match, upper and lower case too.
        </Text>
      </form>
    </search>
  );
});
