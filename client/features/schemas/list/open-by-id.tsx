import { Button, Group, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

const route = getRouteApi('/signed-in/schemas');

/** If the service cannot list its schemas, single ones may still be readable by id. */
export function OpenById() {
  const navigate = route.useNavigate();
  const [typed, setTyped] = useState('');
  const open = (event: FormEvent): void => {
    event.preventDefault();
    const id = typed.trim();
    if (id !== '') void navigate({ to: '/schemas/$id', params: { id } });
  };
  return (
    <form onSubmit={open}>
      <Group gap="xs" align="flex-end" maw="30rem">
        <TextInput
          flex="1 1 12rem"
          label="Schema id"
          description="Opens a schema that is not listed."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Open
        </Button>
      </Group>
    </form>
  );
}
