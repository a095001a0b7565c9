import { Button } from '../../ui/elements/button.tsx';

export const StartAgain = ({ onClick }: { onClick: () => void }) => (
  <Button size="xs" variant="default" onClick={onClick}>
    Start again from page 1
  </Button>
);
