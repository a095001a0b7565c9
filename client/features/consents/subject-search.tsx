import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { SearchField, SearchForm } from '../../ui/form/search-form.tsx';

const route = getRouteApi('/signed-in/oauth/consents');

/** Nothing is looked up while something is typed: only a whole subject has consents. */
export function SubjectSearch() {
  const { subject: searched = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(searched);
  useEffect(() => setText(searched), [searched]);

  const look = (subject: string): void =>
    void navigate({ search: ({ client }) => ({ subject: subject || undefined, client }) });
  const clear = (): void => {
    setText('');
    if (searched !== '') look('');
  };

  return (
    <SearchForm
      maw="42rem"
      wrap="nowrap"
      onSubmit={() => look(text.trim())}
      explanation="Enter searches. The OAuth server finds consents by subject only, and the subject must match exactly."
    >
      {(explanation) => (
        <SearchField
          label="Subject"
          cleared="the subject"
          aria-describedby={explanation}
          placeholder="Subject, as a rule an identity id"
          value={text}
          onChange={setText}
          onClear={clear}
        />
      )}
    </SearchForm>
  );
}
