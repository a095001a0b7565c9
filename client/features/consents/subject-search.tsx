import '@mantine/core/styles/Input.layer.css';
import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useState } from 'react';

const route = getRouteApi('/signed-in/oauth/consents');

/** Nothing is looked up while something is typed: only a whole subject has consents. */
export function SubjectSearch() {
  const { subject: searched = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const explanation = useId();
  const [text, setText] = useState(searched);
  useEffect(() => setText(searched), [searched]);

  const look = (subject: string): void =>
    void navigate({ search: ({ client }) => ({ subject: subject || undefined, client }) });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    look(text.trim());
  };
  const clear = (): void => {
    setText('');
    if (searched !== '') look('');
  };

  return (
    <search>
      <form onSubmit={submit}>
        <Group gap="xs" wrap="nowrap" align="flex-start" maw="42rem">
          <TextInput
            flex={1}
            aria-label="Subject"
            aria-describedby={explanation}
            placeholder="Subject, as a rule an identity id"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={text !== '' && <CloseButton size="sm" aria-label="Clear the subject" onClick={clear} />}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Search
          </Button>
        </Group>
        <Text id={explanation} size="xs" c="dimmed" mt={4}>
          Enter searches. The OAuth server finds consents by subject only, and the subject must match exactly.
        </Text>
      </form>
    </search>
  );
}
