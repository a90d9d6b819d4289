/** The frame of the pages before the login. */
import type { FormEvent, ReactNode } from "react";

export function Gate({ title, onSubmit, children }: { title: string; onSubmit: () => void; children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <main className="gate">
      <form className="card" onSubmit={submit}>
        <p className="brand">
          <img src="/tollgate.svg" alt="" width={28} height={28} />
          Tollgate
        </p>
        <h1>{title}</h1>
        {children}
      </form>
    </main>
  );
}
