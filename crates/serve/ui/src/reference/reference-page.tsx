/** The reference of the API, made from the gateway's own description. */
import "../styles/reference.css";

import { type ReactNode, useMemo } from "react";

import { gateway } from "../api/gateway";
import { TextField } from "../parts/field";
import { useLoad } from "../parts/load";
import { Await, Empty, Page } from "../parts/page";
import { useMay } from "../parts/session";
import { Link, useWord } from "../router/router";
import { type Description, type Operation, operations } from "./describe";

export function ReferencePage() {
  const loaded = useLoad(gateway.description, []);
  return (
    <Page
      title="API"
      lead="What programs can ask of this gateway: all that these pages do, and no more."
      actions={
        <a className="button" href="/api/openapi.json" target="_blank" rel="noreferrer">
          openapi.json
        </a>
      }
    >
      <Await loaded={loaded}>{(description) => <Found description={description} />}</Await>
    </Page>
  );
}

function Found({ description }: { description: Description }) {
  const [word, setWord] = useWord("find");
  const isAdministrator = useMay("administrator");
  const all = useMemo(() => operations(description, window.location.origin), [description]);
  const wanted = word.toLowerCase();
  const shown = all.filter((each) => `${each.method} ${each.path} ${each.summary}`.toLowerCase().includes(wanted));
  const subjects = [...new Set(shown.map((each) => each.subject))];
  return (
    <>
      <section className="section reference-lead">
        <p>{withCode(description.info.description)}</p>
        <p>
          A program has a token, which has a role of its own:{" "}
          {isAdministrator ? <Link href="/people">make one</Link> : "an administrator makes one on the page “People”"},
          and keep it where only the program reads it. Version {description.info.version}.
        </p>
      </section>
      <div className="filters">
        <TextField label="Find" type="search" value={word} onValue={setWord} />
      </div>
      {shown.length === 0 && <Empty icon="search" title="No operation has this in its name, path or meaning" />}
      {subjects.map((subject) => (
        <section key={subject} className="section" aria-label={`Operations: ${subject}`}>
          <h2>{subject}</h2>
          {shown
            .filter((each) => each.subject === subject)
            .map((each) => (
              <Shown key={each.id} operation={each} />
            ))}
        </section>
      ))}
    </>
  );
}

const FOR: Record<string, string> = {
  none: "anyone, without a login",
  viewer: "everybody who is logged in",
};

/** Shows text between backticks as code. */
const withCode = (text = "") =>
  text.split("`").map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part));

function Shown({ operation }: { operation: Operation }) {
  const { id, method, path, summary, more, needs, parameters, body, answers, curl } = operation;
  return (
    <details className="operation" id={id}>
      <summary>
        <span className={`method method-${method.toLowerCase()}`}>{method}</span>
        <span className="fixed break">{path}</span>
        <span className="operation-summary">{withCode(summary)}</span>
        <span className="operation-needs">{needs}</span>
      </summary>
      {more !== "" && <p>{withCode(more)}</p>}
      <p className="muted">
        For {FOR[needs] ?? `${needs}s`}
        {needs === "operator" && " and administrators"}.
      </p>
      {parameters.length > 0 && (
        <dl className="parameters">
          {parameters.map((each) => (
            <div key={`${each.where} ${each.name}`}>
              <dt>
                <span className="fixed">{each.name}</span>{" "}
                <span className="muted">
                  {each.sort}, in the {each.where}
                  {each.isRequired ? ", required" : ""}
                </span>
              </dt>
              <dd>{withCode(each.help)}</dd>
            </div>
          ))}
        </dl>
      )}
      {body !== null && <Text name="Takes">{body}</Text>}
      {answers.map((answer) => (
        <div key={answer.status} className="section">
          <p>
            <strong>{answer.status}</strong> {answer.meaning}
          </p>
          {answer.shape !== null && answer.status < "400" && (
            <Text name={`Answers with ${answer.status}`}>{answer.shape}</Text>
          )}
        </div>
      ))}
      <Text name="Example">{curl}</Text>
    </details>
  );
}

function Text({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="section">
      <h3>{name}</h3>
      <pre className="reference-text" role="group" tabIndex={0} aria-label={name}>
        {children}
      </pre>
    </div>
  );
}
